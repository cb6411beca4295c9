package simulator

import (
	"net/http"
	"slices"
	"time"
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

func createRefund(s *Server, c call) answer {
	id := c.params.Get("payment_intent")
	if id == "" {
		return invalid(http.StatusBadRequest, "parameter_missing", "payment_intent",
			"Missing required param: payment_intent.")
	}
	pi := s.state.intents[id]
	if pi == nil || pi.Live != c.live {
		return missing(http.StatusBadRequest, "payment_intent", "payment_intent", id)
	}
	amount, refused := refundable(pi, c)
	if refused != nil {
		return *refused
	}
	r := &refund{
		ID: newID("re_"), Amount: amount, Charge: pi.Charge, Created: s.config.Now().UTC(), Currency: pi.Currency,
		Intent: pi.ID, Live: pi.Live, Metadata: metadata(c.params), Reason: c.params.Get("reason"), Status: succeeded,
	}
	next := *pi
	next.AmountRefunded += amount
	rec := &record{Kind: refunded, Intent: &next, Refund: r}
	if pi.Refunds == "pending" {
		r.Status, rec.Kind = refundPending, refundChanged
	}
	a := ok(r.render())
	a.record, a.remember = rec, true
	a.events = []event{
		s.event("refund.created", r.Live, r.render(), false), s.event("charge.refunded", next.Live, next.charge(), false),
	}
	return a
}

// refundable is the amount to refund: what was asked for, else what is left.
func refundable(pi *intent, c call) (int64, *answer) {
	left := pi.Amount - pi.AmountRefunded
	switch {
	case pi.Status != succeeded:
		return 0, refuse(invalid(http.StatusBadRequest, "", "payment_intent",
			"This PaymentIntent (%s) does not have a successful charge to refund.", pi.ID))
	case left == 0:
		return 0, refuse(invalid(http.StatusBadRequest, "charge_already_refunded", "", "Charge %s has already been refunded.",
			pi.Charge))
	case !c.params.Has("amount"):
		return left, nil
	}
	amount := number(c.params, "amount")
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

func getRefund(s *Server, c call) answer {
	id := c.path("id")
	r := s.state.refunds[id]
	if r == nil || r.Live != c.live {
		return missing(http.StatusNotFound, "id", "refund", id)
	}
	return ok(r.render())
}

// listRefunds pages through all refunds, or those of one intent, newest first.
func listRefunds(s *Server, c call) answer {
	after, of := c.params.Get("starting_after"), c.params.Get("payment_intent")
	if after != "" && s.state.refunds[after] == nil {
		return missing(http.StatusBadRequest, "starting_after", "refund", after)
	}
	data, more, begun := []any{}, false, after == ""
	for _, id := range slices.Backward(s.state.refundOrder) {
		r := s.state.refunds[id]
		if r.Live != c.live || (of != "" && r.Intent != of) {
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
