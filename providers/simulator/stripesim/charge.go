package stripesim

import "perennial/providers/simulator/core"

// charge renders the Charge of an intent, which Stripe's events about captures and refunds carry.
func (pi *intent) charge() map[string]any {
	status, id := succeeded, pi.Charge
	if pi.Status != succeeded {
		status = failed
	}
	if id == "" {
		id = newID("ch_")
	}
	captured := int64(0)
	if status == succeeded {
		captured = pi.Amount
	}
	return map[string]any{
		"id": id, "object": "charge", "amount": pi.Amount, "amount_captured": captured, "amount_refunded": pi.AmountRefunded,
		"captured": status == succeeded, "created": pi.Created.Unix(), "currency": pi.Currency,
		"customer":    orNull(pi.Customer),
		"description": orNull(pi.Description), "livemode": pi.Live, "metadata": orEmpty(pi.Metadata),
		"paid":           status == succeeded,
		"payment_intent": pi.ID, "refunded": captured > 0 && pi.AmountRefunded == pi.Amount, "status": status,
		"billing_details": map[string]any{"name": "Casey Holder"},
	}
}

// confirmed are the events of an intent whose payment method has decided at once, in Stripe's order.
func (s *Dialect) confirmed(pi *intent) []core.Message {
	created := s.event("payment_intent.created", pi.Live, pi.render(), false)
	switch pi.Status {
	case succeeded:
		return []core.Message{
			created, s.event("charge.succeeded", pi.Live, pi.charge(), false),
			s.event("payment_intent.succeeded", pi.Live, pi.render(), false),
		}
	case requiresPaymentMethod:
		return []core.Message{
			created, s.event("charge.failed", pi.Live, pi.charge(), false),
			s.event("payment_intent.payment_failed", pi.Live, pi.render(), false),
		}
	case processing:
		return []core.Message{created, s.event("payment_intent.processing", pi.Live, pi.render(), false)}
	case requiresAction:
		return []core.Message{created, s.event("payment_intent.requires_action", pi.Live, pi.render(), false)}
	}
	return []core.Message{created}
}
