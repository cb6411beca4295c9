package webhooks

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// Bounds of the connections kept between attempts. Many receivers close idle ones after 5 s; a connection that is used
// at that very moment would look like a reset, so ours are closed before.
const (
	idleTimeout    = 4 * time.Second
	idlePerHost    = 8
	idleInAll      = 512
	maxHeaderBytes = 64 << 10
)

// transport returns connections that the guard has passed. HTTP/1.1 only: over HTTP/2 all endpoints of a host would
// share one connection, and one slow answer could hold up the others.
func (o Options) transport(g guard) *http.Transport {
	dialer := &net.Dialer{Timeout: o.Limit, Control: g.control, Resolver: o.Resolver}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	return &http.Transport{
		Proxy:                  nil, // a proxy of the environment would resolve names behind the guard's back
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: o.Roots},
		TLSHandshakeTimeout:    o.Limit,
		Protocols:              protocols,
		DisableCompression:     true, // the excerpt has the receiver's bytes; no answer grows when unpacked
		MaxIdleConns:           idleInAll,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
}

// guard decides about an address at the moment of connecting, after all resolving.
type guard struct {
	public bool // addresses of the internet pass
	allow  Allow
}

// control is called by net.Dialer with the address that it is about to connect to.
func (g guard) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &addressError{"invalid"}
	}
	if g.allow.Contains(at.Addr()) {
		return nil
	}
	if name := networkOf(at.Addr()); name != "" {
		return &addressError{name}
	}
	if !g.public {
		return &addressError{"public, but the URL begins with http"}
	}
	return nil
}

// Control refuses connections into networks outside the public internet, but for those allowed: for other dialers than
// that of webhooks. net.Dialer calls it after all resolving.
func Control(allow Allow) func(network, address string, c syscall.RawConn) error {
	return guard{public: true, allow: allow}.control
}

// addressError refuses an address. It names the network, not the address: the owner of a URL must not learn what a name
// resolves to inside our network.
type addressError struct{ network string }

// ForbiddenAddress names the network.
func (e *addressError) ForbiddenAddress() string { return e.network }

func (e *addressError) Error() string { return fmt.Sprintf("forbidden address (%s)", e.network) }
