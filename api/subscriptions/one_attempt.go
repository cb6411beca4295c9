package subscriptions

import (
	"context"
	"net/http"

	"perennial/api/httpkit"
	"perennial/api/usecase"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/db"
)

// attempted delays the response to a creation or change with paymentBehavior error until its one attempt is decided,
// and refuses it if that has failed: nothing has changed then. invoiceID is the invoice of a change; empty: the request
// created the subscription. Where the provider stays silent, the response is 202 with what waits. The stored response
// for repeats is the one that was committed, so that a repeat is decided in the same way. Faults: payment_declined,
// payment_requires_action.
func (h *Handler) attempted(
	ctx context.Context, c *httpkit.Call, id, invoiceID string, out *httpkit.Reply[Subscription],
) (*httpkit.Reply[Subscription], error) {
	var decided bool
	var refusal error
	out = httpkit.AwaitAnyway(ctx, h.kit, c, out, db.AwaitedSubscription(c.EnvironmentID, id),
		func(ctx context.Context) (shown Subscription, final bool, err error) {
			_, steady, err := h.steady(ctx, c, id, func(sub subscription.Subscription) error {
				if shown, err = h.withLatest(ctx, c, sub); err != nil || undecided(sub, invoiceID) {
					final = false
					return err
				}
				refusal, err = h.refusalOf(ctx, c, sub, invoiceID)
				final = err == nil
				return err
			})
			decided = final && steady
			return shown, decided, err
		})
	switch {
	case !decided: // also where it could not be read: what is known is that the request was performed
		out.Status = http.StatusAccepted
	case refusal != nil:
		return nil, refusal
	}
	return out, nil
}

// refusalOf returns the refusal of a creation or change whose attempt is decided; nil: it is paid, or costs nothing.
func (h *Handler) refusalOf(
	ctx context.Context, c *httpkit.Call, sub subscription.Subscription, invoiceID string,
) (refusal, err error) {
	if invoiceID == "" && !sub.NeverPaid() {
		return nil, nil
	}
	inv, attempt, err := h.attemptOf(ctx, c, sub.ID, invoiceID)
	if err != nil || invoiceID != "" && inv.Status != invoice.Void {
		return nil, err
	}
	if attempt == nil {
		attempt = &payment.Transaction{}
	}
	return unpaid(*attempt), nil
}

// undecided reports whether a subscription, or the change that an invoice bills, waits for its one attempt.
func undecided(sub subscription.Subscription, invoiceID string) bool {
	if invoiceID == "" {
		return sub.Status == subscription.Incomplete || sub.NextAction == subscription.ActionBegin
	}
	return sub.Pays(invoiceID)
}

// unpaid returns the refusal of a request whose one attempt did not pay.
func unpaid(attempt payment.Transaction) error {
	asked := !attempt.Action.ExpiresAt.IsZero()
	if asked && attempt.FailureCode == "" {
		return fault.New(fault.Conflict, "payment_requires_action",
			"The payer has to confirm the payment, which `paymentBehavior: \"error\"` does not wait for. Nothing has changed. Send "+
				"`pending` instead, and the payer to `confirmUrl`.")
	}
	reason := attempt.FailureReason
	if reason == "" {
		reason = "It was not made."
	}
	return fault.New(fault.Conflict, "payment_declined",
		"The payment failed, and nothing has changed. The reason: %s Ask for another payment method, and repeat the request with "+
			"another Idempotency-Key.", reason).Failing(attempt.FailureCode)
}

// onAttempt is onSubscription for a change with paymentBehavior error. One that costs nothing is answered as any other.
func (h *Handler) onAttempt(
	ctx context.Context, c *httpkit.Call, perform func(id string, around usecase.Around[usecase.Performed]) error,
) (*httpkit.Reply[Subscription], error) {
	id, out, err := h.performed(ctx, c, perform)
	if err != nil {
		return nil, err
	}
	made, err := out.Value()
	if err != nil || made.LatestInvoice == nil {
		return out, err
	}
	return h.attempted(ctx, c, id, made.LatestInvoice.ID, out)
}
