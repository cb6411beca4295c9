package stripe

import (
	"context"
	"net/http"

	"perennial/billing/fault"
)

// TestConnection reads the balance, which every secret key may, and compares its mode with the environment's. Faults:
// `provider_credentials_rejected` and `provider_environment_mismatch` (Invalid, param secretKey),
// `provider_unavailable` (Unavailable).
func (s *Stripe) TestConnection(ctx context.Context) error {
	x := s.get(ctx, "/v1/balance", nil)
	b, ok := object(x, func(b *balance) string { return b.Object }, "balance")
	switch {
	case ok && b.Livemode != nil && *b.Livemode != s.live:
		return fault.InvalidParam("secretKey", "provider_environment_mismatch",
			"The Stripe key works, but in %s mode while this environment is %s. "+
				"Use the other key.", mode(*b.Livemode), mode(s.live))
	case ok:
		return nil
	case x.status == http.StatusUnauthorized:
		return fault.InvalidParam("secretKey", "provider_credentials_rejected",
			"Stripe does not accept this secret key. Copy the current key from the Stripe dashboard.")
	case x.status == http.StatusForbidden:
		return fault.InvalidParam("secretKey", "provider_credentials_rejected",
			"This restricted Stripe key cannot read the balance. "+
				"Grant it read access to Balance and Disputes, and write access to PaymentIntents and Refunds.")
	case x.status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"Stripe limits the rate of requests. Try again in a moment.").After(x.retryAfter)
	case x.err != nil:
		return fault.New(fault.Unavailable, "provider_unavailable",
			"Stripe could not be reached: %s.", s.scrub(x.err.Error()))
	}
	return fault.New(fault.Unavailable, "provider_unavailable",
		"Stripe returned an unexpected response (HTTP %d).", x.status)
}

func mode(live bool) string {
	if live {
		return "live"
	}
	return "test"
}
