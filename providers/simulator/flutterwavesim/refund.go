package flutterwavesim

import (
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"perennial/providers/simulator/core"
)

// refund as the ledger keeps it; never changed in place.
type refund struct {
	ID       string            `json:"id"`
	Key      string            `json:"key,omitempty"` // of the request
	Amount   int64             `json:"amount"`        // ISO minor units
	Charge   string            `json:"charge"`
	Created  time.Time         `json:"created"`
	Live     bool              `json:"live,omitempty"`
	Meta     map[string]string `json:"meta,omitempty"`
	Reason   string            `json:"reason"`
	SettleAt *time.Time        `json:"settle_at,omitempty"`
	Status   string            `json:"status"`
}

const refundNew = "new"

type refundRequest struct {
	Amount   json.Number       `json:"amount"`
	ChargeID string            `json:"charge_id"`
	Meta     map[string]string `json:"meta"`
	Reason   string            `json:"reason"`
}

var reasons = []string{"duplicate", "fraudulent", "requested_by_customer", "expired_uncaptured_charge"}

func (s *Dialect) renderRefund(r *refund) map[string]any {
	currency := ""
	if ch := s.state.charges.byID[r.Charge]; ch != nil {
		currency = ch.Currency
	}
	return map[string]any{
		"id": r.ID, "amount_refunded": json.Number(toWire(r.Amount, currency)), "charge_id": r.Charge,
		"created_datetime": datetime(r.Created), "meta": orEmpty(r.Meta), "reason": r.Reason, "status": r.Status,
		"destination": map[string]any{"name": "Casey Holder", "account": "555019283"},
	}
}

func (s *Dialect) createRefund(c *core.Call) core.Answer {
	in := c.Input.(*refundRequest) //nolint:forcetypeassert // readBody made it
	ch := s.state.charges.byID[in.ChargeID]
	if ch == nil || ch.Live != c.Live {
		return missing("Charge")
	}
	amount, ok := toMinor(in.Amount, ch.Currency)
	switch {
	case !slices.Contains(reasons, in.Reason):
		return invalid("reason", "is not one of those that are documented")
	case ch.Status != succeeded:
		return invalid("charge_id", "is not of a successful charge")
	case !ok || amount > ch.Amount-ch.Refunded:
		return invalid("amount", "is more than what is left of the charge")
	}
	r, next := s.newRefund(ch, amount, in.Reason)
	r.Meta, r.Key = in.Meta, c.Header.Get("X-Idempotency-Key")
	if ch.Refunds == "pending" {
		r.Status = pending
	} else {
		at := s.server.Now().UTC().Add(s.config.RefundAfter)
		r.SettleAt = &at
	}
	a := success(http.StatusCreated, s.renderRefund(r))
	a.Effect = &core.Effect{Kind: refundChanged, Change: &record{Charge: next, Refund: r}}
	a.Remember = true
	return a
}

func (s *Dialect) newRefund(ch *charge, amount int64, reason string) (*refund, *charge) {
	next := *ch
	next.Refunded += amount
	return &refund{
		ID: newID("rfd_"), Amount: amount, Charge: ch.ID, Created: s.server.Now().UTC().Truncate(time.Millisecond),
		Live: ch.Live, Reason: reason, Status: refundNew,
	}, &next
}

func (s *Dialect) getRefund(c *core.Call) core.Answer {
	r := s.state.refunds.byID[c.PathValue("id")]
	if r == nil || r.Live != c.Live {
		return missing("Refund")
	}
	return success(http.StatusOK, s.renderRefund(r))
}

func (s *Dialect) listRefunds(c *core.Call) core.Answer {
	list := s.state.refunds.newest(func(r *refund) bool { return r.Live == c.Live })
	return page(c, list, func(r *refund) time.Time { return r.Created }, s.renderRefund)
}
