package webhooks_test

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/internal/testkit/receiver"
	"perennial/internal/testkit/wait"
	"perennial/webhooks"
)

// forbidden are addresses that no receiver may have.
var forbidden = []string{
	"0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1",
	"127.0.0.2", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "169.254.170.2", "172.16.0.1",
	"172.31.255.255", "192.0.0.1", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255",
	"198.18.0.1",
	"198.19.255.255", "198.51.100.7", "203.0.113.7", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",

	"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0.0.0.0",
	"64:ff9b::127.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1", "2001:0:7f00:1::", "2001:2::1",
	"2001:10::1", "2001:20::1", "2001:db8::1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2620:4f:8000::1", "3fff::1",
	"4000::1",
	"5f00::1", "fc00::1", "fd00:ec2::254", "fd12:3456:789a::1", "fe80::1", "fec0::1", "ff02::1", "ff0e::1",
	"2a00:1450:4001:827::5efe:7f00:1", "2a00:1450:4001:827:200:5efe:a00:1",
}

// public are addresses next to them, which receivers may have.
var public = []string{
	"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
	"168.63.129.15", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0",
	"192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
	"2001:200::1", "2001:4860:4860::8888", "2003::1", "2606:4700:4700::1111", "2a00:1450:4001:827::200e", "::ffff:8.8.8.8",
}

// everywhere listens on all addresses of this machine and counts who connects.
func everywhere(t *testing.T) (port int, connections *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", ":0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	connections = new(atomic.Int64)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			conn.Close()
		}
	}()
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", listener.Addr().(*net.TCPAddr).Port))
	require.NoError(t, err)
	conn.Close()
	require.Eventually(t, func() bool { return connections.Swap(0) == 1 }, wait.Patience, time.Millisecond, "it counts")
	return listener.Addr().(*net.TCPAddr).Port, connections
}

// Each address as the URL's host, and as the address that the URL's host resolves to, for test and live environments.
func TestSend_ForbiddenTargets(t *testing.T) {
	t.Parallel()
	require.GreaterOrEqual(t, len(forbidden), 45)
	port, connections := everywhere(t)
	var names zone
	sender := newSender(t, webhooks.Options{Resolver: names.resolver(t)})
	send := func(url string, live bool) webhooks.Result {
		return sender.Send(t.Context(), webhooks.Request{URL: url, Live: live, Header: http.Header{}, Body: []byte("{}")})
	}
	targets := 0
	for i, text := range forbidden {
		addr := netip.MustParseAddr(text)
		literal := fmt.Sprintf("https://%s/", netip.AddrPortFrom(addr, uint16(port)))
		name := fmt.Sprintf("target-%d.example.com", i)
		names.set(name, []netip.Addr{addr})
		for _, live := range []bool{true, false} {
			err := webhooks.CheckURL(literal, live, nil)
			require.Error(t, err, literal)
			require.Equal(t, "webhook_url_forbidden", fault.From(err).Code, literal)
			require.Equal(t, "url", fault.From(err).Param)

			got := send(literal, live)
			require.Equal(t, webhooks.FailedAddress, got.Failure, "%s: %s", literal, got.Detail)

			byName := fmt.Sprintf("https://%s:%d/", name, port)
			require.NoError(t, webhooks.CheckURL(byName, live, nil))
			got = send(byName, live)
			require.Equal(t, webhooks.FailedAddress, got.Failure, "%s -> %s: %s", byName, text, got.Detail)
			require.Contains(t, got.Detail, "Nothing was sent.")
			require.NotContains(t, got.Detail, text, "what a name resolves to inside is not told")
			targets += 2
		}
	}
	for _, url := range []string{
		"https://localhost/", "https://LOCALHOST./", "https://a.localhost/", "https://2130706433/", "https://0x7f000001/",
		"https://0x7f.1/", "https://１２７.0.0.1/", "https://127。0。0。1/", "https://ｅxample.com/", "https://exa\u00admple.com/",
		"https://" + strings.Repeat("a", 64) + ".com/", "https://-a.com/", "https://" + strings.Repeat("a.", 128) + "com/",
		"https://0177.0.0.1/", "https://127.1/", "https://[::1%25lo]/", "https://printer.local/",
		"https://metadata.google.internal/",
		"http://example.com/", "ftp://example.com/", "gopher://127.0.0.1/", "file:///etc/passwd",
		"https://user:pw@example.com/",
		"https://example.com@127.0.0.1/", "https:///path", "//example.com/", "https://example.com:0/",
		"https://example.com:99999/",
		"https://example.com/#fragment", "javascript:alert(1)", "https://exa mple.com/", "https://127.0.0.1:port/", "",
	} {
		for _, live := range []bool{true, false} {
			require.Error(t, webhooks.CheckURL(url, live, nil), url)
			require.False(t, send(url, live).Delivered(), url)
			targets++
		}
	}
	require.Zero(t, connections.Load())
	t.Logf("%d forbidden targets, 0 connections", targets)
}

// An allowed address that answers with redirects to forbidden ones.
func TestSend_RedirectToForbidden(t *testing.T) {
	t.Parallel()
	port, connections := everywhere(t)
	r := receiver.New(t)
	sender := newSender(t, webhooks.Options{Allow: loopback})
	for _, text := range forbidden {
		target := netip.AddrPortFrom(netip.MustParseAddr(text), uint16(port))
		got := attempt(t, sender, r.Endpoint("/", receiver.Redirect("http://"+target.String()+"/")), "{}")
		require.Equal(t, webhooks.FailedRedirect, got.Failure, got.Detail)
	}
	require.Zero(t, connections.Load())
	require.Len(t, r.Requests(""), len(forbidden))
}

// A name that resolves to an allowed address, and at the next look-up to another one on the same port.
func TestSend_Rebinding(t *testing.T) {
	t.Parallel()
	port, connections := everywhere(t)
	var names zone
	good, bad := netip.MustParseAddr("127.0.0.2"), netip.MustParseAddr("127.0.0.1")
	sender := newSender(t, webhooks.Options{
		Resolver: names.resolver(t), Allow: webhooks.Allow{netip.PrefixFrom(good, 32)}, Limit: 5 * time.Second,
	})
	const flips = 30
	for i := range flips {
		name := fmt.Sprintf("flip-%d.example.com", i)
		names.set(name, []netip.Addr{good}, []netip.Addr{bad})
		url := fmt.Sprintf("http://%s:%d/", name, port)
		first := attempt(t, sender, url, "{}")
		require.Equal(t, webhooks.FailedReset, first.Failure, "it connected, and the listener hung up: %s", first.Detail)
		second := attempt(t, sender, url, "{}")
		require.Equal(t, webhooks.FailedAddress, second.Failure, second.Detail)
	}
	require.Equal(t, int64(flips), connections.Load(), "only the first of each two")
}

// Public addresses pass the check of the URL; nothing is sent to them here.
func TestCheckURL_PublicAddresses(t *testing.T) {
	t.Parallel()
	for _, text := range public {
		require.NoError(t, webhooks.CheckURL("https://"+netip.AddrPortFrom(netip.MustParseAddr(text), 8443).String()+"/",
			true, nil), text)
	}
}

// Local receivers exist in test environments only, and where the operator allows them.
func TestSend_LocalReceivers(t *testing.T) {
	t.Parallel()
	r := receiver.New(t)
	url := r.Endpoint("/")
	allowing, refusing := newSender(t, webhooks.Options{Allow: loopback}), newSender(t, webhooks.Options{})
	for _, c := range []struct {
		sender *webhooks.Sender
		allow  webhooks.Allow
		live   bool
		ok     bool
	}{
		{allowing, loopback, false, true},
		{allowing, loopback, true, false}, // after the connection of the first was kept
		{refusing, nil, false, false},
		{refusing, nil, true, false},
	} {
		err := webhooks.CheckURL(url, c.live, c.allow)
		got := c.sender.Send(t.Context(), webhooks.Request{URL: url, Live: c.live, Header: http.Header{}, Body: []byte("{}")})
		if c.ok {
			require.NoError(t, err)
			require.True(t, got.Delivered(), got.Detail)
			continue
		}
		require.Equal(t, "webhook_url_not_https", fault.From(err).Code)
		require.Equal(t, webhooks.FailedURL, got.Failure)
	}
	require.Len(t, r.Requests(""), 1)
}

// A connection that a test environment made to a local receiver never serves a live one, although the host is the same.
func TestSend_ConnectionsAreNotShared(t *testing.T) {
	t.Parallel()
	authority := receiver.NewAuthority(t)
	r := receiver.NewTLS(t, authority, receiver.TLS{Host: "shared.example.com"})
	var names zone
	names.set("shared.example.com", []netip.Addr{netip.MustParseAddr("127.0.0.1")})
	sender := newSender(t, webhooks.Options{Resolver: names.resolver(t), Allow: loopback, Roots: authority.Roots})
	url := fmt.Sprintf("https://shared.example.com:%d/", r.Port())
	require.True(t, attempt(t, sender, url, "{}").Delivered())

	got := sender.Send(t.Context(), webhooks.Request{URL: url, Live: true, Header: http.Header{}, Body: []byte("{}")})

	require.Equal(t, webhooks.FailedAddress, got.Failure, got.Detail)
	require.Len(t, r.Requests(""), 1)
}

// A proxy would connect on the sender's behalf. TestSend_NoProxy changes the environment, so it cannot run in parallel.
func TestSend_NoProxy(t *testing.T) {
	proxy := receiver.New(t)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	t.Setenv("NO_PROXY", "")
	var names zone
	sender := newSender(t, webhooks.Options{Resolver: names.resolver(t), Allow: loopback})
	for _, scheme := range []string{"http", "https"} {
		got := attempt(t, sender, scheme+"://nowhere.example.com/", "{}")
		require.Equal(t, webhooks.FailedDNS, got.Failure, got.Detail)
	}
	require.Zero(t, proxy.Connections())
}
