package stripesim

import (
	"net/http"
	"slices"
	"time"

	"perennial/providers/simulator/core"
)

// refund as the ledger keeps it; never changed in place.
type refund struct {
	ID            string            `json:"id"`
	Amount        int64             `json:"amount"`
	Charge        string            `json:"charge"`
	Created       time.Time         `json:"created"`
	Currency      string            `json:"currency"`
	FailureReason string            `json:"failure_reason,omitempty"`
	Intent        string            `json:"intent"`
	Live          bool              `json:"live"`
	Metadata      map[string]string `json:"metadata,omitempty"`
	Reason        string            `json:"reason,omitempty"`
	Status        string            `json:"status"`
}

const refundPending = "pending"

var refundParams = params{
	"amount":         integer,
	"metadata[]":     text,
	"payment_intent": text,
	"reason":         oneOf("duplicate", "fraudulent", "requested_by_customer"),
}

func (r *refund) render() map[string]any {
	out := map[string]any{
		"id": r.ID, "object": "refund", "amount": r.Amount, "balance_transaction": nil, "charge": r.Charge,
		"created": r.Created.Unix(), "currency": r.Currency, "metadata": orEmpty(r.Metadata),
		"payment_intent": r.Intent, "reason": orNull(r.Reason), "receipt_number": nil, "status": r.Status,
		"destination_details": map[string]any{
			"type": "card", "card": map[string]any{"reference": "4242000000001111", "type": "refund"},
		},
	}
	if r.FailureReason != "" {
		out["failure_reason"] = r.FailureReason
	}
	return out
}

func createRefund(s *Dialect, c *core.Call) core.Answer {
	id := input(c).Get("payment_intent")
	if id == "" {
		return invalid(http.StatusBadRequest, "parameter_missing", "payment_intent",
			"Missing required param: payment_intent.")
	}
	pi := s.state.intents[id]
	if pi == nil || pi.Live != c.Live {
		return missing(http.StatusBadRequest, "payment_intent", "payment_intent", id)
	}
	amount, refused := refundable(pi, c)
	if refused != nil {
		return *refused
	}
	r := &refund{
		ID: newID("re_"), Amount: amount, Charge: pi.Charge, Created: s.server.Now().UTC(), Currency: pi.Currency,
		Intent: pi.ID, Live: pi.Live, Metadata: metadata(input(c)), Reason: input(c).Get("reason"), Status: succeeded,
	}
	next := *pi
	next.AmountRefunded += amount
	kind := core.Refunded
	if pi.Refunds == "pending" {
		r.Status, kind = refundPending, refundChanged
	}
	a := ok(r.render())
	a.Effect, a.Remember = effect(kind, &record{Intent: &next, Refund: r},
		s.event("refund.created", r.Live, r.render(), false),
		s.event("charge.refunded", next.Live, next.charge(), false)), true
	return a
}

// refundable returns the amount to refund: the requested one, or else the rest.
func refundable(pi *intent, c *core.Call) (int64, *core.Answer) {
	left := pi.Amount - pi.AmountRefunded
	switch {
	case pi.Status != succeeded:
		return 0, refuse(invalid(http.StatusBadRequest, "", "payment_intent",
			"This PaymentIntent (%s) does not have a successful charge to refund.", pi.ID))
	case left == 0:
		return 0, refuse(invalid(http.StatusBadRequest, "charge_already_refunded", "", "Charge %s has already been refunded.",
			pi.Charge))
	case !input(c).Has("amount"):
		return left, nil
	}
	amount := number(input(c), "amount")
	switch {
	case amount < 1:
		return 0, refuse(invalid(http.StatusBadRequest, "parameter_invalid_integer", "amount",
			"This value must be greater than or equal to 1."))
	case amount > left:
		return 0, refuse(invalid(http.StatusBadRequest, "", "amount",
			"Refund amount (%d %s) is greater than unrefunded amount on charge (%d %s)", amount, pi.Currency, left, pi.Currency))
	case amount%multiple(pi.Currency) != 0:
		return 0, refuse(invalid(http.StatusBadRequest, "invalid_amount", "amount", "Amounts in %s must be divisible by %d.",
			pi.Currency, multiple(pi.Currency)))
	}
	return amount, nil
}

func getRefund(s *Dialect, c *core.Call) core.Answer {
	id := c.PathValue("id")
	r := s.state.refunds[id]
	if r == nil || r.Live != c.Live {
		return missing(http.StatusNotFound, "id", "refund", id)
	}
	return ok(r.render())
}

// listRefunds pages through all refunds, or the refunds of one intent, newest first.
func listRefunds(s *Dialect, c *core.Call) core.Answer {
	after, of := input(c).Get("starting_after"), input(c).Get("payment_intent")
	if after != "" && s.state.refunds[after] == nil {
		return missing(http.StatusBadRequest, "starting_after", "refund", after)
	}
	data, more, begun := []any{}, false, after == ""
	for _, id := range slices.Backward(s.state.refundOrder) {
		r := s.state.refunds[id]
		if r.Live != c.Live || (of != "" && r.Intent != of) {
			continue
		}
		if begun && len(data) == limit(c) {
			more = true
			break
		}
		if begun {
			data = append(data, r.render())
		}
		begun = begun || id == after
	}
	return ok(map[string]any{"object": "list", "url": "/v1/refunds", "has_more": more, "data": data})
}
