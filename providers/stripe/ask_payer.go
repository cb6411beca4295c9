package stripe

import (
	"context"
	"net/http"
	"net/url"

	"perennial/providers"
)

// authenticationRequired is Stripe's code of a charge that the bank wants its payer to confirm.
const authenticationRequired = "authentication_required"

func (e *apiError) wantsPayer() bool {
	return e != nil && (e.Code == authenticationRequired || e.DeclineCode == authenticationRequired)
}

// wantsPayer returns the reference of a payment intent that only its payer can bring further; empty: it is none.
func (x exchange) wantsPayer() string {
	if pi, ok := x.intent(); ok && pi.needsCleanUp() {
		return pi.ID
	}
	if api := x.failure(); api.wantsPayer() && api.PaymentIntent != nil {
		return api.PaymentIntent.ID
	}
	return ""
}

// askPayer confirms an intent again, as one whose payer is there: Stripe then names the page to send them to, or
// captures where the bank is content. An intent captures once, however often it is confirmed, so that this needs no
// key. A look-up decides what it leaves open.
func (s *Stripe) askPayer(ctx context.Context, in providers.ChargeRequest, ref string) (providers.Result, error) {
	x := s.post(ctx, "/v1/payment_intents/"+url.PathEscape(ref)+"/confirm", url.Values{
		"payment_method": {in.Method.PaymentMethodToken}, "return_url": {in.ReturnURL},
	}, "")
	if pi, ok := x.intent(); ok {
		return s.settled(ctx, x, pi), nil
	}
	if x.failure() != nil && x.status == http.StatusBadRequest { // a repeat: it was confirmed before
		return s.LookupCharge(ctx, providers.LookupRequest{TransactionID: in.TransactionID, Ref: ref})
	}
	res, err := s.refused(x, moving)
	if res.Outcome == providers.NotSent { // the first request was
		res.Outcome = providers.Unknown
	}
	res.Ref = ref
	return res, err
}
