package flutterwavesim

import (
	"regexp"
	"strings"

	"perennial/providers/simulator/core"
)

// Controls are the actions of people and banks at Flutterwave outside its API.
func (s *Dialect) Controls() core.Controls {
	return core.Controls{
		Settle: s.controlSettle, SettleRefund: s.controlSettleRefund, Refund: s.controlRefund, Dispute: s.controlDispute,
		CloseDispute: s.controlClose, Script: s.controlScript, Message: s.controlMessage,
	}
}

func (s *Dialect) controlSettle(ref string, to core.Settlement) core.Answer {
	c := s.state.charge(ref)
	if c == nil || c.Status != pending {
		return core.Conflict("no pending charge of that ID")
	}
	processor := map[core.Settlement]string{core.Succeed: "approved", core.Expire: "system_error"}[to]
	if processor == "" {
		processor = "do_not_honor"
	}
	next, e := s.settleCharge(c, processor)
	return core.Done(next.render(), e)
}

func (s *Dialect) controlSettleRefund(ref string, to core.Settlement) core.Answer {
	well := to == core.Succeed
	r := s.state.refunds.byID[ref]
	if r == nil || r.Status == statusFailed || (r.Status == succeeded && well) {
		return core.Conflict("no refund of that ID that could still end so")
	}
	next, e := s.settleRefund(r, well)
	return core.Done(s.renderRefund(next), e)
}

// captured finds a captured charge.
func (s *Dialect) captured(ref string) (*charge, *core.Answer) {
	if c := s.state.charge(ref); c != nil && c.Status == succeeded {
		return c, nil
	}
	return nil, refuse(core.Conflict("no captured charge of that ID"))
}

func (s *Dialect) controlRefund(ref string, amount int64) core.Answer {
	ch, refused := s.captured(ref)
	if refused != nil {
		return *refused
	}
	left := ch.Amount - ch.Refunded
	if amount == 0 {
		amount = left
	}
	if amount < 1 || amount > left {
		return core.Conflict("the amount is more than what is left of the charge")
	}
	r, next := s.newRefund(ch, amount, "requested_by_customer")
	r.Status = succeeded
	return core.Done(s.renderRefund(r), s.refundEffect(core.Refunded, next, r, "refund.completed"))
}

func (s *Dialect) controlDispute(ref string, amount int64, inquiry bool) core.Answer {
	ch, refused := s.captured(ref)
	switch {
	case refused != nil:
		return *refused
	case inquiry:
		return core.BadControl("Flutterwave has no inquiries: a chargeback holds the money from its beginning")
	case amount == 0:
		amount = ch.Amount
	}
	b, e := s.openChargeback(ch, amount)
	return core.Done(s.renderChargeback(b), e)
}

func (s *Dialect) controlClose(ref string, wins bool) core.Answer {
	b := s.state.chargebacks.byID[ref]
	if b == nil || b.Status != initiated {
		return core.Conflict("no open chargeback of that ID")
	}
	next, e := s.closeChargeback(b, wins)
	return core.Done(s.renderChargeback(next), e)
}

var phoneNumber = regexp.MustCompile(`^[0-9]{9,15}$`)

func (s *Dialect) controlScript(in core.Script) core.Answer {
	if _, known := behaviourNamed(in.Behaviour); !known && in.Behaviour != "" {
		return core.BadControl("unknown behaviour; the known ones are " + strings.Join(behaviourNames(), ", "))
	}
	if !strings.HasPrefix(in.Token, "pmd_") && !strings.HasPrefix(in.Token, "cus_") && !phoneNumber.MatchString(in.Token) {
		return core.BadControl("name a card (pmd_…), a customer (cus_…) or a phone number with its calling code")
	}
	sc := script{Token: in.Token, Customer: in.Customer, Behaviour: in.Behaviour}
	return core.Done(sc, &core.Effect{Kind: scripted, Change: &record{Script: &sc}})
}

func (s *Dialect) controlMessage(ref, kind string) (core.Message, bool) {
	name := func(natural string) string {
		if kind != "" {
			return kind
		}
		return natural
	}
	if c := s.state.charge(ref); c != nil {
		return s.message(name("charge.completed"), c.render(), true), true
	}
	if r := s.state.refunds.byID[ref]; r != nil {
		return s.message(name("refund.completed"), s.renderRefund(r), true), true
	}
	if b := s.state.chargebacks.byID[ref]; b != nil {
		return s.message(name("chargeback.updated"), s.renderChargeback(b), true), true
	}
	return core.Message{}, false
}
