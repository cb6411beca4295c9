package stripesim

import (
	"strings"
	"time"

	"perennial/providers/simulator/core"
)

// Controls are the actions of people and banks at Stripe outside its API.
func (s *Dialect) Controls() core.Controls {
	return core.Controls{
		Settle: s.controlSettle, SettleRefund: s.controlSettleRefund, Refund: s.controlRefund, Dispute: s.controlDispute,
		CloseDispute: s.controlClose, Script: s.controlScript, Message: s.controlMessage,
	}
}

func (s *Dialect) controlSettle(ref string, to core.Settlement) core.Answer {
	pi := s.state.payment(ref)
	if pi == nil || (pi.Status != processing && pi.Status != requiresAction) {
		return core.Conflict("no pending payment intent of that ID")
	}
	next, e := s.settleIntent(pi, string(to))
	return core.Done(next.render(), e)
}

func (s *Dialect) controlSettleRefund(ref string, to core.Settlement) core.Answer {
	status := succeeded
	if to != core.Succeed {
		status = failed
	}
	r := s.state.refunds[ref]
	if r == nil || r.Status == failed || r.Status == status {
		return core.Conflict("no refund of that ID that could still become " + status)
	}
	next, e := s.settleRefund(r, status)
	return core.Done(next.render(), e)
}

// captured finds a captured intent.
func (s *Dialect) captured(ref string) (*intent, *core.Answer) {
	if pi := s.state.payment(ref); pi != nil && pi.Status == succeeded {
		return pi, nil
	}
	return nil, refuse(core.Conflict("no captured payment intent of that ID"))
}

func (s *Dialect) controlRefund(ref string, amount int64) core.Answer {
	pi, refused := s.captured(ref)
	if refused != nil {
		return *refused
	}
	left := pi.Amount - pi.AmountRefunded
	wire, whole := toWire(amount, pi.Currency)
	if amount == 0 {
		wire = left
	}
	if !whole || wire < 1 || wire > left {
		return core.Conflict("the amount is more than what is left of the charge")
	}
	next := *pi
	next.AmountRefunded += wire
	r := &refund{
		ID: newID("re_"), Amount: wire, Charge: pi.Charge, Created: s.server.Now().UTC().Truncate(time.Microsecond),
		Currency: pi.Currency, Intent: pi.ID, Live: pi.Live, Status: succeeded,
	}
	return core.Done(r.render(), effect(core.Refunded, &record{Intent: &next, Refund: r},
		s.event("refund.created", r.Live, r.render(), true), s.event("charge.refunded", next.Live, next.charge(), true)))
}

func (s *Dialect) controlDispute(ref string, amount int64, inquiry bool) core.Answer {
	pi, refused := s.captured(ref)
	if refused != nil {
		return *refused
	}
	wire, whole := toWire(amount, pi.Currency)
	if !whole {
		return core.BadControl("Stripe cannot express the amount")
	}
	if amount == 0 {
		wire = pi.Amount
	}
	d, e := s.openDispute(pi, wire, inquiry)
	return core.Done(d.render(), e)
}

func (s *Dialect) controlClose(ref string, won bool) core.Answer {
	d := s.state.disputes[ref]
	if d == nil || (d.Status != needsResponse && d.Status != inquiry) {
		return core.Conflict("no open dispute of that ID")
	}
	next, e := s.closeDispute(d, won)
	return core.Done(next.render(), e)
}

func (s *Dialect) controlScript(in core.Script) core.Answer {
	if _, known := behaviourNamed(in.Behaviour); !known && in.Behaviour != "" {
		return core.BadControl("unknown behaviour; the known ones are " + strings.Join(behaviourNames(), ", "))
	}
	if !strings.HasPrefix(in.Token, "pm_") && !strings.HasPrefix(in.Token, "cus_") {
		return core.BadControl("a card is named by its payment method (pm_…) or by its customer (cus_…)")
	}
	c := card{Token: in.Token, Behaviour: in.Behaviour, Scope: in.Customer}
	c.Owner = s.state.cards[c.name()].Owner // a script does not detach the card
	return core.Done(c, &core.Effect{Kind: cardChanged, Change: &record{Card: &c}})
}

func (s *Dialect) controlMessage(ref, kind string) (core.Message, bool) {
	name := func(natural string) string {
		if kind != "" {
			return kind
		}
		return natural
	}
	if pi := s.state.payment(ref); pi != nil {
		natural := map[string]string{
			succeeded: "payment_intent.succeeded", processing: "payment_intent.processing",
			requiresAction: "payment_intent.requires_action", statusCanceled: "payment_intent.canceled",
		}[pi.Status]
		if natural == "" {
			natural = "payment_intent.payment_failed"
		}
		return s.event(name(natural), pi.Live, pi.render(), true), true
	}
	if r := s.state.refunds[ref]; r != nil {
		natural := "refund.updated"
		if r.Status == failed {
			natural = "refund.failed"
		}
		return s.event(name(natural), r.Live, r.render(), true), true
	}
	if d := s.state.disputes[ref]; d != nil {
		return s.event(name("charge.dispute.updated"), d.Live, d.render(), true), true
	}
	return core.Message{}, false
}
