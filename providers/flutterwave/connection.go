package flutterwave

import (
	"context"
	"net/http"
	"net/url"

	"perennial/billing/fault"
)

// TestConnection fetches a token, unless one is at hand, and reads a page of customers, which every account may.
// Nothing in the answer tells test from live; a token of one mode is refused by the other's address. Faults:
// `provider_credentials_rejected` (Invalid, param clientSecret), `provider_unavailable` (Unavailable).
func (f *Flutterwave) TestConnection(ctx context.Context) error {
	x := f.get(ctx, "/customers", url.Values{"page": {"1"}})
	switch _, ok := x.success(); {
	case ok:
		return nil
	case x.status == http.StatusUnauthorized:
		return fault.InvalidParam(FieldClientSecret, "provider_credentials_rejected",
			"Flutterwave does not accept this client ID with this secret in the environment's mode. "+
				"Copy both from the Flutterwave dashboard, Settings, API keys.")
	case x.status == http.StatusForbidden:
		return fault.InvalidParam(FieldClientSecret, "provider_credentials_rejected",
			"Flutterwave accepts the credentials, but they may not read customers. Grant them the full API.")
	case x.status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"Flutterwave limits the rate of requests. Try again in a moment.").After(x.retryAfter)
	case x.err != nil:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"%s.", f.scrub(unreached(x.err)))
	}
	return fault.New(fault.Unavailable, "provider_unavailable",
		"Flutterwave returned an unexpected response (HTTP %d).", x.status)
}
