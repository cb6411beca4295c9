package simulator

import (
	"time"
)

// armTimer makes a pending intent settle on time, so that its callback leaves without anybody asking. The caller
// holds the lock.
func (s *Server) armTimer(pi *intent) {
	if !s.state.pending[pi.ID] {
		if t := s.timers[pi.ID]; t != nil {
			t.Stop()
			delete(s.timers, pi.ID)
		}
		return
	}
	s.timers[pi.ID] = time.AfterFunc(pi.SettleAt.Sub(s.config.Now()), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closing.Err() == nil {
			s.settleDue()
		}
	})
}

// settleDue settles every intent whose time has come; every request begins with it, so that what a client reads never
// depends on a timer's punctuality. The caller holds the lock.
func (s *Server) settleDue() {
	for id := range s.state.pending {
		if pi := s.state.intents[id]; !pi.SettleAt.After(s.config.Now()) {
			s.settleIntent(pi, pi.SettleTo)
		}
	}
}

// settleIntent ends a pending intent and sends its callback once the end is durable. The caller holds the lock.
func (s *Server) settleIntent(pi *intent, to string) *intent {
	next := *pi
	next.SettleAt, next.SettleTo = nil, ""
	rec := &record{Kind: intentChanged, Intent: &next}
	name := "payment_intent.payment_failed"
	if to == succeeded {
		next.Status, next.Charge, rec.Kind = succeeded, newID("ch_"), capture
		name = "payment_intent.succeeded"
	} else {
		next.Status = requiresPaymentMethod
		next.LastError = behaviours["pm_card_visa_chargeDeclined"].decline
	}
	s.commitAndSend(rec, s.event(name, next.Live, next.render(), true))
	return &next
}

// settleRefund ends a pending refund, or reverses one that had succeeded. The caller holds the lock.
func (s *Server) settleRefund(r *refund, to string) *refund {
	next, pi := *r, *s.state.intents[r.Intent]
	rec := &record{Kind: refundChanged, Intent: &pi, Refund: &next}
	name := "refund.updated"
	if to == succeeded {
		next.Status, rec.Kind = succeeded, refunded
	} else {
		if r.Status == succeeded {
			rec.Kind = refundReversed
		}
		next.Status, next.FailureReason = failed, "expired_or_canceled_card"
		pi.AmountRefunded -= r.Amount
		name = "refund.failed"
	}
	s.commitAndSend(rec, s.event(name, next.Live, next.render(), true))
	return &next
}

func (s *Server) commitAndSend(rec *record, events ...event) {
	line := s.commit(rec)
	s.sender.after(func() error { return s.journal.wait(line) }, events...)
}
