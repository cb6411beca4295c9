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
		return fault.InvalidParam("secretKey", "provider_environment_mismatch", "the Stripe key works, but in %s mode while this environment is %s; use the other key", mode(*b.Livemode), mode(s.live))
	case ok:
		return nil
	case x.status == http.StatusUnauthorized:
		return fault.InvalidParam("secretKey", "provider_credentials_rejected", "Stripe does not know this secret key; it may have been rolled, copy the present one from the Stripe dashboard")
	case x.status == http.StatusForbidden:
		return fault.InvalidParam("secretKey", "provider_credentials_rejected", "this restricted Stripe key may not read the balance; grant it Balance: read, and write for PaymentIntents and Refunds")
	case x.status == http.StatusTooManyRequests:
		return fault.New(fault.Unavailable, "provider_unavailable", "Stripe limits the rate of requests; try again in a moment").After(x.retryAfter)
	case x.err != nil:
		return fault.New(fault.Unavailable, "provider_unavailable", "Stripe could not be reached: %s", s.scrub(x.err.Error()))
	}
	return fault.New(fault.Unavailable, "provider_unavailable", "Stripe gave an unexpected answer (HTTP %d)", x.status)
}

func mode(live bool) string {
	if live {
		return "live"
	}
	return "test"
}
