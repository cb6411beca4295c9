package adyensim

import (
	"net/http"

	"perennial/providers/simulator/core"
)

// pay carries a payment out. The account captures automatically, so an authorised payment is captured.
func (d *Dialect) pay(c *core.Call) core.Answer {
	in := input[paymentRequest](c)
	if refused := d.check(in); refused != nil {
		return *refused
	}
	b := d.behaviourOf(in)
	switch {
	case b.missing:
		return invalid("803", "PaymentDetail not found")
	case b.overloaded:
		return d.Refuse(core.Overloaded, "")
	case b.dropped && b.hang:
		return core.Answer{Hang: true}
	case b.dropped:
		a := d.Refuse(core.Broken, "")
		a.Remember = true
		return a
	}
	p := newPayment(in, b)
	body := p.render(b.refusal)
	if p.Status == resultRedirect {
		p.ReturnURL = in.ReturnURL
		body["action"] = map[string]any{
			"method": "GET", "paymentMethodType": "scheme", "type": "redirect", "url": "http://" + c.Host + payersPath + p.PSP,
		}
	}
	if b.settleTo != "" {
		at := d.server.Now().Add(b.settleAfter).UTC()
		p.SettleAt, p.SettleTo = &at, string(b.settleTo)
	}
	a := core.Answer{Status: http.StatusOK, Body: body, Remember: true, Hang: b.hang}
	a.Effect = d.decided(p, b.refusal, b.hang || b.fail500)
	if b.fail500 {
		a.Status, a.Body = http.StatusInternalServerError, d.Refuse(core.Broken, "").Body
	}
	return a
}

func newPayment(in *paymentRequest, b behaviour) *payment {
	p := &payment{
		PSP: newPSP(), Account: in.MerchantAccount, Reference: in.Reference, Value: in.Amount.Value,
		Currency: in.Amount.Currency, Shopper: in.ShopperReference, Description: in.Metadata["description"],
		Status: resultAuthorised, Refunds: b.refunds,
	}
	if b.result != "" {
		p.Status = b.result
	}
	if p.Status == resultPartial {
		p.Value = (p.Value + 1) / 2
	}
	return p
}

// decided returns the effect of a payment with its webhook. silent: the answer does not show it.
func (d *Dialect) decided(p *payment, refusal string, silent bool) *core.Effect {
	rec := &record{Payment: p}
	switch {
	case p.captured():
		return d.moved(core.Capture, p, p.Value, nil, rec, d.authorisation(p, "", silent))
	case p.Status == resultRefused, p.Status == resultError, p.Status == resultCancelled:
		return changed("payment", rec, d.authorisation(p, reasonOf(refusal), silent))
	}
	return changed("payment", rec)
}

// render returns the answer, with data that an account can have enabled: a caller must not keep it.
func (p *payment) render(refusal string) map[string]any {
	body := map[string]any{
		"pspReference": p.PSP, "resultCode": p.Status, "merchantReference": p.Reference,
		"additionalData": map[string]any{
			"cardHolderName": "Casey Holder", "cardSummary": "4242", "shopperEmail": "holder@example.com",
		},
		"paymentMethod": map[string]any{"brand": "visa", "type": "scheme"},
	}
	if p.captured() {
		body["amount"] = amount{Currency: p.Currency, Value: p.Value}
	}
	if p.Status == resultRefused || p.Status == resultError || p.Status == resultCancelled {
		body["refusalReason"], body["refusalReasonCode"] = reasonOf(refusal), refusal
	}
	return body
}

// arm makes a pending payment settle on time.
func (d *Dialect) arm(p *payment) {
	if p.SettleAt == nil || !p.undecided() {
		d.server.Unschedule(p.PSP)
		return
	}
	d.server.Schedule(p.PSP, *p.SettleAt, func() *core.Effect {
		_, e := d.settle(d.state.payments[p.PSP], core.Settlement(p.SettleTo))
		return e
	})
}

// settle ends a pending payment; only the webhook shows it.
func (d *Dialect) settle(p *payment, to core.Settlement) (*payment, *core.Effect) {
	next := *p
	next.SettleAt, next.SettleTo = nil, ""
	switch to {
	case core.Succeed:
		next.Status = resultAuthorised
	case core.Expire:
		next.Status = resultCancelled
		return &next, changed("payment", &record{Payment: &next}, d.message(true, d.item(&next, eventExpire, true, "")))
	default:
		next.Status = resultRefused
	}
	return &next, d.decided(&next, "2", true)
}
