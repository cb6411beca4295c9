package pawapaysim

import (
	"time"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

type refundRequest struct {
	RefundID          string           `json:"refundId"`
	DepositID         string           `json:"depositId"`
	Amount            string           `json:"amount"`
	Currency          string           `json:"currency"`
	ClientReferenceID string           `json:"clientReferenceId"`
	Metadata          []map[string]any `json:"metadata"`
}

func (d *Dialect) createRefund(c *core.Call) core.Answer {
	in := c.Input.(*refundRequest) //nolint:forcetypeassert // read by readBody
	if d.state.refunds[in.RefundID] != nil {
		return ok(map[string]any{"refundId": in.RefundID, "status": "DUPLICATE_IGNORED"})
	}
	of := d.state.deposits[in.DepositID]
	if code := d.refusal(of, in); code != "" {
		// The spelling of pawaPay's first version, which some of its documents still have.
		return ok(map[string]any{"refundId": in.RefundID, "status": "REJECTED", "rejectionReason": map[string]string{
			"rejectionCode": code, "rejectionMessage": "The refund was not accepted.",
		}})
	}
	r := &refund{
		ID: in.RefundID, Deposit: of.ID, Amount: in.Amount, Currency: in.Currency, Reference: in.ClientReferenceID,
		Metadata: flat(in.Metadata), Created: d.server.Now().UTC().Truncate(time.Microsecond), Live: c.Live, Status: accepted,
	}
	if how := d.behaviour(of.Suffix).refunds; how != "held" {
		at := d.server.Now().Add(d.config.Latency).UTC()
		r.SettleAt, r.SettleTo = &at, completed
		if how == "failed" {
			r.SettleTo = "RECIPIENT_NOT_FOUND"
		}
	}
	a := ok(map[string]any{"refundId": r.ID, "status": accepted, "created": r.Created.Format(time.RFC3339)})
	a.Effect = &core.Effect{Kind: refundChanged, Change: &record{Refund: r}}
	return a
}

// refusal is the code for a refund that cannot be made now; empty: it can.
func (d *Dialect) refusal(of *deposit, in *refundRequest) string {
	if of == nil {
		return "NOT_FOUND"
	}
	if of.Status != completed {
		return "INVALID_STATE"
	}
	left := minor(of.Amount, of.Currency)
	for _, r := range d.state.refundsOf(of.ID) {
		if r.Status != completed {
			return "REFUND_IN_PROGRESS"
		}
		left -= minor(r.Amount, r.Currency)
	}
	asked := minor(in.Amount, in.Currency)
	switch {
	case in.Currency != of.Currency:
		return "INVALID_CURRENCY"
	case left == 0:
		return "DEPOSIT_ALREADY_REFUNDED"
	case asked > left:
		return "AMOUNT_TOO_LARGE"
	case asked == money.Minor(0):
		return "INVALID_AMOUNT"
	}
	return ""
}

func (d *Dialect) armRefund(r *refund) {
	if r.SettleAt == nil {
		d.server.Unschedule(r.ID)
		return
	}
	d.server.Schedule(r.ID, *r.SettleAt, func() *core.Effect {
		_, e := d.settleRefund(d.state.refunds[r.ID], r.SettleTo)
		return e
	})
}

// settleRefund ends a pending refund: completed, or with the code of a failure.
func (d *Dialect) settleRefund(r *refund, to string) (*refund, *core.Effect) {
	next := *r
	next.SettleAt, next.SettleTo = nil, ""
	e := &core.Effect{Kind: refundChanged, Change: &record{Refund: &next}}
	if to == completed {
		next.Status, e.Kind = completed, core.Refunded
		e.Movements = []core.Movement{next.movement(d.state.deposits[r.Deposit])}
	} else {
		next.Status, next.FailureCode = failed, to
	}
	e.Messages = []core.Message{next.message()}
	return &next, e
}

func (d *Dialect) getRefund(c *core.Call) core.Answer {
	r := d.state.refunds[c.PathValue("id")]
	if r == nil || r.Live != c.Live {
		return ok(map[string]any{"status": "NOT_FOUND"})
	}
	return ok(map[string]any{"status": "FOUND", "data": r.render()})
}
