package wire

import (
	"context"
	"net/http"
	"sync/atomic"
)

type counterKey struct{}

// CountRequests returns a context under which the requests of every Client are counted: one operation of an adapter may
// need several, and a provider's limit is on requests.
func CountRequests(ctx context.Context) (counting context.Context, requests *atomic.Int64) {
	requests = &atomic.Int64{}
	return context.WithValue(ctx, counterKey{}, requests), requests
}

// counted counts requests for the context that they are made under.
type counted struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (c counted) RoundTrip(r *http.Request) (*http.Response, error) {
	if requests, ok := r.Context().Value(counterKey{}).(*atomic.Int64); ok {
		requests.Add(1)
	}
	return c.RoundTripper.RoundTrip(r)
}
