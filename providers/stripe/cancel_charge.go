package stripe

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"perennial/providers"
)

// CancelCharge cancels the payment intent if it is still open. It reads it first, so that only our own is canceled and
// a declined one stays declined; and again if Stripe refuses ("already succeeded"), so that the Result is always the
// charge's state afterwards.
func (s *Stripe) CancelCharge(ctx context.Context, in providers.LookupRequest) (providers.Result, error) {
	found, err := s.LookupCharge(ctx, in)
	if err != nil || found.Ref == "" || found.Outcome.Final() {
		return found, err
	}
	in.Ref = found.Ref
	x := s.cancel(ctx, in.Ref, "requested_by_customer")
	if pi, ok := x.intent(); ok {
		return s.intentResult(x, pi), nil
	}
	if x.failure() != nil && x.status == http.StatusBadRequest {
		return s.LookupCharge(ctx, in)
	}
	return s.refused(x, reading)
}

// cancel needs no idempotency key: a second cancel finds the intent canceled and changes nothing.
func (s *Stripe) cancel(ctx context.Context, ref, why string) exchange {
	return s.post(ctx, "/v1/payment_intents/"+url.PathEscape(ref)+"/cancel", url.Values{"cancellation_reason": {why}}, "")
}

// abandonTimeout bounds the clean-up, which must not hold up the answer it follows.
const abandonTimeout = 5 * time.Second

// abandon gives up an intent that waits for a customer who is away. Best effort: if it fails, the intent stays
// declined for us, and a later look-up tries again.
func (s *Stripe) abandon(ctx context.Context, ref string) {
	ctx, stop := context.WithTimeout(ctx, abandonTimeout)
	defer stop()
	_ = s.cancel(ctx, ref, abandoned)
}
