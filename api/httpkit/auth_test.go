package httpkit

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestClientAddress_OnlyFromTrustedProxies(t *testing.T) {
	t.Parallel()
	unknown := netip.Addr{}.String()
	trusted := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for name, c := range map[string]struct {
		peer, forwarded, want string
		trusted               []netip.Prefix
	}{
		"nobody in between":               {"203.0.113.9:1", "", "203.0.113.9", trusted},
		"a stranger's word is ignored":    {"203.0.113.9:1", "198.51.100.1", "203.0.113.9", trusted},
		"no proxy is trusted":             {"10.0.0.1:1", "198.51.100.1", "10.0.0.1", nil},
		"one proxy":                       {"10.0.0.1:1", "198.51.100.1", "198.51.100.1", trusted},
		"two proxies":                     {"10.0.0.1:1", "198.51.100.1, 10.0.0.2", "198.51.100.1", trusted},
		"the caller's own header is left": {"10.0.0.1:1", "192.0.2.1, 198.51.100.1", "198.51.100.1", trusted},
		"only proxies":                    {"10.0.0.1:1", "10.0.0.3, 10.0.0.2", "10.0.0.3", trusted},
		"garbage":                         {"10.0.0.1:1", "unknown", unknown, trusted},
		"garbage behind an address":       {"10.0.0.1:1", "198.51.100.1, x", unknown, trusted},
		"nothing behind an address":       {"10.0.0.1:1", "198.51.100.1,", unknown, trusted},
		"garbage of a stranger":           {"10.0.0.1:1", "x, 198.51.100.1", "198.51.100.1", trusted},
		"garbage before proxies":          {"10.0.0.1:1", "x, 10.0.0.2", unknown, trusted},
		"garbage, no proxy is trusted":    {"203.0.113.9:1", "x", "203.0.113.9", trusted},
		"blank":                           {"10.0.0.1:1", " ", unknown, trusted},
		"a port":                          {"10.0.0.1:1", "198.51.100.1:443, 10.0.0.2:80", "198.51.100.1", trusted},
		"IPv6 with a port":                {"10.0.0.1:1", "[2001:db8::5]:443", "2001:db8::5", trusted},
		"IPv4 in IPv6":                    {"[::ffff:10.0.0.1]:1", "::ffff:198.51.100.1", "198.51.100.1", trusted},
		"IPv6":                            {"[fd00::1]:1", "2001:db8::5", "2001:db8::5", trusted},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = c.peer
		if c.forwarded != "" {
			r.Header.Set("X-Forwarded-For", c.forwarded)
		}
		require.Equal(t, c.want, clientAddress(r, c.trusted).String(), name)
	}
	broken := httptest.NewRequest(http.MethodGet, "/", nil)
	broken.RemoteAddr = "@"
	require.False(t, clientAddress(broken, trusted).IsValid())
}

func TestAuthorization_Forms(t *testing.T) {
	t.Parallel()
	good := "sk_test_" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	for value, want := range map[string]error{
		"Bearer " + good: nil, "bearer " + good: nil, "": errKeyMissing, "Bearer": errKeyMalformed,
		"Bearer  " + good:      errKeyMalformed,
		"Bearer " + good + " ": errKeyMalformed, "Token " + good: errKeyMalformed, "Bearer " + good + "x": errKeyMalformed,
	} {
		_, _, err := bearer(http.Header{"Authorization": {value}})
		require.Equal(t, want, err, "%q", value)
	}
	_, _, err := bearer(http.Header{"Authorization": {"Bearer " + good, "Bearer " + good}})
	require.Equal(t, errKeyMalformed, err)
	_, _, err = bearer(http.Header{})
	require.Equal(t, errKeyMissing, err)
}
