package stripesim

import "perennial/providers/simulator/core"

// arm schedules the settlement of a pending intent, so that its callback is sent without a request.
func (s *Dialect) arm(pi *intent) {
	if pi.SettleAt == nil || pi.Status != processing {
		s.server.Unschedule(pi.ID)
		return
	}
	s.server.Schedule(pi.ID, *pi.SettleAt, func() *core.Effect {
		_, e := s.settleIntent(s.state.intents[pi.ID], pi.SettleTo)
		return e
	})
}

// settleIntent ends a pending intent.
func (s *Dialect) settleIntent(pi *intent, to string) (*intent, *core.Effect) {
	next, kind, name := *pi, intentChanged, "payment_intent.payment_failed"
	next.SettleAt, next.SettleTo = nil, ""
	if to == succeeded {
		next.Status, next.Charge, kind = succeeded, newID("ch_"), core.Capture
		name = "payment_intent.succeeded"
	} else {
		next.Status = requiresPaymentMethod
		next.LastError = behaviours["pm_card_visa_chargeDeclined"].decline
		if pi.Status == requiresAction {
			next.LastError = unauthenticated
		}
	}
	return &next, effect(kind, &record{Intent: &next}, s.event(name, next.Live, next.render(), true))
}

// unauthenticated is the error of a payer who refused, or failed, to authenticate.
var unauthenticated = &failure{
	Type: "invalid_request_error", Code: "payment_intent_authentication_failure",
	Message: "The provided PaymentMethod has failed authentication. You can provide payment_method_data or a new " +
		"PaymentMethod to attempt to fulfill this PaymentIntent again.",
}

// settleRefund ends a pending refund, or returns one that had succeeded.
func (s *Dialect) settleRefund(r *refund, to string) (*refund, *core.Effect) {
	next, pi, kind, name := *r, *s.state.intents[r.Intent], refundChanged, "refund.updated"
	if to == succeeded {
		next.Status, kind = succeeded, core.Refunded
	} else {
		if r.Status == succeeded {
			kind = core.RefundReturned
		}
		next.Status, next.FailureReason = failed, "expired_or_canceled_card"
		pi.AmountRefunded -= r.Amount
		name = "refund.failed"
	}
	return &next, effect(kind, &record{Intent: &pi, Refund: &next}, s.event(name, next.Live, next.render(), true))
}
