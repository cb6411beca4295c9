package flutterwavesim

import "perennial/providers/simulator/core"

// armCharge schedules the end of a pending charge, so that its webhook is sent without a request.
func (s *Dialect) armCharge(c *charge) {
	if c.SettleAt == nil || c.Status != pending {
		s.server.Unschedule(c.ID)
		return
	}
	s.server.Schedule(c.ID, *c.SettleAt, func() *core.Effect {
		_, e := s.settleCharge(s.state.charges.byID[c.ID], c.SettleTo)
		return e
	})
}

func (s *Dialect) settleCharge(c *charge, processor string) (*charge, *core.Effect) {
	next := c.settled(processor)
	return next, s.chargeEffect(next, s.about(next, true)...)
}

// about are the messages about a charge that ended. A failure is of the same type, as Flutterwave's documents suggest.
func (s *Dialect) about(c *charge, asynchronous bool) []core.Message {
	if c.Status == pending {
		return nil
	}
	return []core.Message{s.message("charge.completed", c.render(), asynchronous)}
}

func (s *Dialect) armRefund(r *refund) {
	if r.SettleAt == nil || r.Status != refundNew {
		s.server.Unschedule(r.ID)
		return
	}
	s.server.Schedule(r.ID, *r.SettleAt, func() *core.Effect {
		_, e := s.settleRefund(s.state.refunds.byID[r.ID], true)
		return e
	})
}

// settleRefund ends a refund, or returns one that had succeeded.
func (s *Dialect) settleRefund(r *refund, well bool) (*refund, *core.Effect) {
	next, ch, kind, name := *r, *s.state.charges.byID[r.Charge], refundChanged, "refund.completed"
	next.SettleAt, next.Status = nil, succeeded
	switch {
	case well:
		kind = core.Refunded
	case r.Status == succeeded:
		kind = core.RefundReturned
	}
	if !well {
		next.Status, name = statusFailed, "refund.failed"
		ch.Refunded -= r.Amount
	}
	return &next, s.refundEffect(kind, &ch, &next, name)
}

func (s *Dialect) refundEffect(kind string, ch *charge, r *refund, message string) *core.Effect {
	e := &core.Effect{
		Kind: kind, Change: &record{Charge: ch, Refund: r},
		Messages: []core.Message{s.message(message, s.renderRefund(r), true)},
	}
	if moves[kind] {
		m := movement(kind, ch, r.Amount)
		m.Refund, m.TransactionID, m.Key = r.ID, r.Meta["txn_id"], r.Key
		e.Movements = []core.Movement{m}
	}
	return e
}
