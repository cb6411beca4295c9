package adyen

import (
	"context"
	"encoding/json"
	"net/http"

	"perennial/billing/fault"
)

// TestConnection asks for the account's payment methods, which every Checkout key may. Test and live have different
// hosts, so a key of the other mode is refused there. Faults: `provider_credentials_rejected` (Invalid, with the
// field), `provider_unavailable` (Unavailable).
func (a *Adyen) TestConnection(ctx context.Context) error {
	x := a.post(ctx, "/paymentMethods", struct {
		MerchantAccount string `json:"merchantAccount"`
	}{a.merchantAccount}, "")
	methods, ok := decoded[map[string]json.RawMessage](x, http.StatusOK)
	switch {
	case ok && methods != nil:
		return nil
	case x.status == http.StatusUnauthorized:
		return fault.InvalidParam(FieldAPIKey, "provider_credentials_rejected",
			"Adyen does not accept this API key in the %s environment. Copy the current key from the %[1]s Customer Area.",
			mode(a.live))
	case x.status == http.StatusForbidden, x.status == http.StatusUnprocessableEntity:
		return fault.InvalidParam(FieldMerchantAccount, "provider_credentials_rejected",
			"Adyen knows the API key, but it may not use this merchant account. Check the account's code, and that the "+
				"API credential has the role Checkout webservice.")
	case x.status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"Adyen limits the rate of requests. Try again in a moment.").After(x.retryAfter)
	case x.err != nil:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"Adyen could not be reached: %s.", a.scrub(x.err.Error()))
	}
	return fault.New(fault.Unavailable, "provider_unavailable",
		"Adyen returned an unexpected response (HTTP %d).", x.status)
}
