// Package wire has the common parts of all adapters: the HTTP client, and copies of provider data about an account. It
// knows no provider's protocol.
package wire

import (
	"net"
	"net/http"
	"time"
)

// Client returns the HTTP client of an account; given replaces its transport, nil: it gets one of its own. It never
// follows redirects: a redirected POST could charge somewhere else, and no provider sends any. Its requests are counted
// for CountRequests.
func Client(given http.RoundTripper) *http.Client {
	c := &http.Client{Transport: &http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:   true,
		IdleConnTimeout:     30 * time.Second,
		MaxIdleConnsPerHost: 256,
		TLSHandshakeTimeout: 10 * time.Second,
	}}
	if given != nil {
		c.Transport = given
	}
	c.Transport = counted{c.Transport}
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c
}
