package adyensim

import (
	"regexp"

	"perennial/providers/simulator/core"
)

// Controls are the actions of people and banks at Adyen outside its API.
func (d *Dialect) Controls() core.Controls {
	return core.Controls{
		Settle: d.controlSettle, SettleRefund: d.controlSettleRefund, Refund: d.controlRefund, Dispute: d.controlDispute,
		CloseDispute: d.controlClose, Script: d.controlScript, Message: d.controlMessage,
	}
}

func (d *Dialect) controlSettle(ref string, to core.Settlement) core.Answer {
	p := d.state.payment(ref)
	if p == nil || !p.undecided() {
		return core.Conflict("no pending payment of that reference")
	}
	next, e := d.settle(p, to)
	return core.Done(next, e)
}

func (d *Dialect) controlSettleRefund(ref string, to core.Settlement) core.Answer {
	r := d.state.refund(ref)
	if r == nil || r.Status == "failed" || (r.Status == "succeeded" && to == core.Succeed) {
		return core.Conflict("no refund of that reference that could still end so")
	}
	p, next := *d.state.payments[r.Payment], *r
	if to == core.Succeed {
		return core.Done(&next, d.refunded(&p, &next))
	}
	p.Refunded -= r.Value
	next.Status = "failed"
	rec := &record{Payment: &p, Refund: &next}
	if r.Status == "received" {
		return core.Done(&next, changed("refund", rec, d.message(true, d.refundItem(&p, &next, eventRefund, false))))
	}
	return core.Done(&next, d.moved(core.RefundReturned, &p, r.Value, ofRefund(r), rec,
		d.message(true, d.refundItem(&p, &next, eventRefundFailed, true))))
}

// captured finds a captured payment.
func (d *Dialect) captured(ref string) (*payment, *core.Answer) {
	if p := d.state.payment(ref); p != nil && p.captured() {
		return p, nil
	}
	return nil, refuse(core.Conflict("no captured payment of that reference"))
}

// controlRefund is a person in the Customer Area: the refund quotes the payment's reference.
func (d *Dialect) controlRefund(ref string, amount int64) core.Answer {
	p, refused := d.captured(ref)
	if refused != nil {
		return *refused
	}
	left := p.Value - p.Refunded
	wire, whole := toWire(amount, p.Currency)
	if amount == 0 {
		wire = left
	}
	if !whole || wire < 1 || wire > left {
		return core.Conflict("the amount is more than what is left of the payment")
	}
	next := *p
	next.Refunded += wire
	r := &refund{PSP: newPSP(), Payment: p.PSP, Reference: p.Reference, Value: wire}
	return core.Done(r, d.refunded(&next, r))
}

// controlDispute is the payer's bank. A chargeback arrives together with the notification of it, as one message.
func (d *Dialect) controlDispute(ref string, amount int64, inquiry bool) core.Answer {
	p, refused := d.captured(ref)
	if refused != nil {
		return *refused
	}
	wire, whole := toWire(amount, p.Currency)
	if amount == 0 {
		wire = p.Value
	}
	if !whole {
		return core.BadControl("Adyen cannot express the amount")
	}
	dis := &dispute{PSP: newPSP(), Payment: p.PSP, Value: wire, Inquiry: inquiry}
	rec := &record{Dispute: dis}
	if inquiry {
		return core.Done(dis, changed("dispute", rec, d.message(true, d.disputeItem(dis, "REQUEST_FOR_INFORMATION"))))
	}
	return core.Done(dis, d.moved(core.DisputeWithdrawn, p, wire, ofDispute(dis), rec, d.message(true,
		d.disputeItem(dis, "CHARGEBACK"), d.disputeItem(dis, "NOTIFICATION_OF_CHARGEBACK"))))
}

func (d *Dialect) controlClose(ref string, won bool) core.Answer {
	dis := d.state.disputes[ref]
	if dis == nil || dis.Closed {
		return core.Conflict("no open dispute of that reference")
	}
	next := *dis
	next.Closed = true
	p, rec := d.state.payments[dis.Payment], &record{Dispute: &next}
	say := func(event string) core.Message { return d.message(true, d.disputeItem(&next, event)) }
	switch {
	case won && dis.Inquiry:
		return core.Done(&next, changed("dispute", rec, say("ISSUER_RESPONSE_TIMEFRAME_EXPIRED")))
	case won:
		return core.Done(&next, d.moved(core.DisputeReturned, p, dis.Value, ofDispute(dis), rec, say("CHARGEBACK_REVERSED")))
	case dis.Inquiry: // the bank takes the money now
		return core.Done(&next, d.moved(core.DisputeWithdrawn, p, dis.Value, ofDispute(dis), rec, say("SECOND_CHARGEBACK")))
	}
	return core.Done(&next, changed("dispute", rec, say("SECOND_CHARGEBACK")))
}

func (d *Dialect) disputeItem(dis *dispute, event string) item {
	p := d.state.payments[dis.Payment]
	i := d.item(p, event, true, "Other Fraud-Card Absent Environment")
	i.PSPReference, i.OriginalReference, i.Amount.Value = dis.PSP, p.PSP, dis.Value
	i.AdditionalData["disputeStatus"] = "Undefended"
	i.AdditionalData["defensePeriodEndsAt"] = d.server.Now().AddDate(0, 0, 14).Format("2006-01-02T15:04:05-07:00")
	return i
}

func (d *Dialect) controlScript(in core.Script) core.Answer {
	if _, known := behaviourNamed(in.Behaviour); !known && in.Behaviour != "" {
		return core.BadControl("unknown behaviour; send the name of a stored card, such as SIM_REFUSE_12")
	}
	name := in.Token
	if in.Customer != "" {
		name = in.Customer + " " + in.Token
	}
	return core.Done(in, changed("script", &record{Script: &script{Name: name, Behaviour: in.Behaviour}}))
}

var disputeEvent = regexp.MustCompile(`^(REQUEST|NOTIFICATION|CHARGEBACK|SECOND|ISSUER|PREARBITRATION|SCHEME)`)

// controlMessage is one more message about an object. Without an event it is that of the object's state.
func (d *Dialect) controlMessage(ref, event string) (core.Message, bool) {
	or := func(natural string) string {
		if event != "" {
			return event
		}
		return natural
	}
	if dis := d.state.disputes[ref]; dis != nil {
		return d.message(true, d.disputeItem(dis, or("CHARGEBACK"))), true
	}
	if r := d.state.refund(ref); r != nil {
		return d.message(true, d.refundItem(d.state.payments[r.Payment], r, or(eventRefund), r.Status != "failed")), true
	}
	if p := d.state.payment(ref); p != nil && !disputeEvent.MatchString(event) {
		i := d.item(p, or(eventAuthorisation), p.Status != resultRefused && p.Status != resultError, "")
		if i.EventCode != eventAuthorisation {
			i.PSPReference, i.OriginalReference = newPSP(), p.PSP
		}
		return d.message(true, i), true
	}
	return core.Message{}, false
}
