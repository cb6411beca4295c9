package adyensim

import (
	"net/http"

	"perennial/providers/simulator/core"
)

// received is Adyen's receipt; what became of the request comes by webhook.
func received(psp string, in modificationRequest, more map[string]any, e *core.Effect) core.Answer {
	body := map[string]any{
		"status": "received", "pspReference": psp, "merchantAccount": in.MerchantAccount, "reference": in.Reference,
	}
	for name, value := range more {
		body[name] = value
	}
	return core.Answer{Status: http.StatusCreated, Body: body, Effect: e, Remember: true}
}

// known finds the payment of a path.
func (d *Dialect) known(c *core.Call, account string) (*payment, *core.Answer) {
	if refused := d.account(account); refused != nil {
		return nil, refused
	}
	p := d.state.payments[c.PathValue("psp")]
	if p == nil || p.Account != account {
		return nil, refuse(invalid("167", "Original pspReference required for this operation"))
	}
	return p, nil
}

// refund takes a refund. Adyen lets an account refund more than it captured only where that is agreed; here it is not.
func (d *Dialect) refund(c *core.Call) core.Answer {
	in := input[refundRequest](c)
	p, refused := d.known(c, in.MerchantAccount)
	if refused != nil {
		return *refused
	}
	if in.Amount == nil || in.Amount.Value < 1 || in.Amount.Currency != p.Currency {
		return invalid("137", "Invalid amount specified")
	}
	r := &refund{PSP: newPSP(), Payment: p.PSP, Reference: in.Reference, Value: in.Amount.Value, Status: "received"}
	next := *p
	var e *core.Effect
	switch {
	case !p.captured() || r.Value > p.Value-p.Refunded || p.Refunds == "refused":
		r.Status = "failed"
		e = changed("refund", &record{Refund: r}, d.message(true, d.refundItem(&next, r, eventRefund, false)))
	case p.Refunds == "pending":
		next.Refunded += r.Value
		e = changed("refund", &record{Payment: &next, Refund: r})
	default:
		next.Refunded += r.Value
		e = d.refunded(&next, r)
	}
	return received(r.PSP, modificationRequest{in.MerchantAccount, in.Reference},
		map[string]any{"paymentPspReference": p.PSP, "amount": in.Amount}, e)
}

// refunded pays a refund out.
func (d *Dialect) refunded(p *payment, r *refund) *core.Effect {
	r.Status = "succeeded"
	return d.moved(core.Refunded, p, r.Value, ofRefund(r), &record{Payment: p, Refund: r},
		d.message(true, d.refundItem(p, r, eventRefund, true)))
}

func (d *Dialect) cancel(c *core.Call) core.Answer {
	in := input[modificationRequest](c)
	p, refused := d.known(c, in.MerchantAccount)
	if refused != nil {
		return *refused
	}
	psp := newPSP()
	e := d.canceled(p, psp, in.Reference, eventCancellation)
	return received(psp, *in, map[string]any{"paymentPspReference": p.PSP}, e)
}

// technicalCancel cancels by our reference. It knows a payment that is not there only later.
func (d *Dialect) technicalCancel(c *core.Call) core.Answer {
	in := input[standaloneRequest](c)
	if refused := d.account(in.MerchantAccount); refused != nil {
		return *refused
	}
	if in.PaymentReference == "" {
		return invalid("130", "Reference Missing")
	}
	psp := newPSP()
	p := d.state.payments[d.state.references[in.PaymentReference]]
	if p == nil {
		p = &payment{Account: in.MerchantAccount, Reference: in.PaymentReference, Currency: "EUR"}
	}
	e := d.canceled(p, psp, in.PaymentReference, eventTechnicalCancel)
	return received(psp, in.modificationRequest, map[string]any{"paymentReference": in.PaymentReference}, e)
}

// canceled ends a payment that is not captured; of any other only the webhook says that it was too late.
func (d *Dialect) canceled(p *payment, psp, reference, event string) *core.Effect {
	i := d.item(p, event, p.undecided(), "")
	i.PSPReference, i.OriginalReference, i.MerchantReference = psp, p.PSP, reference
	if !p.undecided() {
		return changed("cancel_refused", &record{}, d.message(true, i))
	}
	next := *p
	next.Status, next.SettleAt, next.SettleTo = resultCancelled, nil, ""
	return d.moved(core.Canceled, &next, next.Value, nil, &record{Payment: &next}, d.message(true, i))
}

// reverse cancels, or gives everything back.
func (d *Dialect) reverse(c *core.Call) core.Answer {
	in := input[modificationRequest](c)
	p, refused := d.known(c, in.MerchantAccount)
	if refused != nil {
		return *refused
	}
	psp, left := newPSP(), p.Value-p.Refunded
	more := map[string]any{"paymentPspReference": p.PSP}
	if p.undecided() {
		return received(psp, *in, more, d.canceled(p, psp, in.Reference, eventCancelOrRefund))
	}
	done := p.captured() && left > 0
	i := d.item(p, eventCancelOrRefund, done, "")
	i.PSPReference, i.OriginalReference, i.MerchantReference = psp, p.PSP, in.Reference
	i.AdditionalData["modification.action"] = "refund"
	if !done {
		return received(psp, *in, more, changed("reversal_refused", &record{}, d.message(true, i)))
	}
	next := *p
	next.Refunded = p.Value
	r := &refund{PSP: psp, Payment: p.PSP, Reference: in.Reference, Value: left, Status: "succeeded"}
	return received(psp, *in, more, d.moved(core.Refunded, &next, left, ofRefund(r),
		&record{Payment: &next, Refund: r}, d.message(true, i)))
}
