package pawapaysim

import (
	"slices"
	"strings"

	"perennial/billing/money"
	"perennial/providers/simulator/core"
)

// Controls are the actions of payers and operators outside pawaPay's API. It knows no disputes, and a refund that was
// paid out does not come back.
func (d *Dialect) Controls() core.Controls {
	return core.Controls{
		Settle: d.controlSettle, SettleRefund: d.controlSettleRefund, Refund: d.controlRefund, Script: d.controlScript,
		Message: d.controlMessage,
	}
}

// controlSettle is the payer, who approves, declines or lets the prompt close.
func (d *Dialect) controlSettle(ref string, to core.Settlement) core.Answer {
	x := d.state.deposit(ref)
	if x == nil || x.Status == completed || x.Status == failed {
		return core.Conflict("no pending deposit of that ID")
	}
	end := completed
	if to != core.Succeed {
		end = "PAYMENT_NOT_APPROVED" // pawaPay does not tell a refusal from a prompt that closed
	}
	next, e := d.settleDeposit(x, end)
	return core.Done(next.render(), e)
}

func (d *Dialect) controlSettleRefund(ref string, to core.Settlement) core.Answer {
	r := d.state.refunds[ref]
	if r == nil || r.Status == completed || r.Status == failed {
		return core.Conflict("no pending refund of that ID")
	}
	end := completed
	if to != core.Succeed {
		end = "RECIPIENT_NOT_FOUND"
	}
	next, e := d.settleRefund(r, end)
	return core.Done(next.render(), e)
}

// controlRefund is a person at the dashboard. Its ID is none of ours.
func (d *Dialect) controlRefund(ref string, amount int64) core.Answer {
	of := d.state.deposit(ref)
	if of == nil || of.Status != completed {
		return core.Conflict("no completed deposit of that ID")
	}
	left := minor(of.Amount, of.Currency)
	for _, r := range d.state.refundsOf(of.ID) {
		left -= minor(r.Amount, r.Currency)
	}
	asked := money.Minor(amount)
	if asked == 0 {
		asked = left
	}
	if asked < 1 || asked > left {
		return core.Conflict("the amount is more than what is left of the deposit")
	}
	r := &refund{
		ID: newID(), Deposit: of.ID, Amount: money.FormatUnits(asked, money.Currency(of.Currency)), Currency: of.Currency,
		Created: d.server.Now().UTC(), Live: of.Live, Status: accepted,
	}
	next, e := d.settleRefund(r, completed)
	return core.Done(next.render(), e)
}

// controlScript changes the behaviour of a number's last digits, or closes an operator.
func (d *Dialect) controlScript(in core.Script) core.Answer {
	_, known, _ := operatorOf(in.Token, "")
	_, named := behaviours[in.Behaviour]
	switch {
	case known && in.Behaviour != closed && in.Behaviour != "":
		return core.BadControl(`an operator can be "closed"; an empty behaviour opens it again`)
	case !known && (len(in.Token) != suffixDigits || strings.Trim(in.Token, "0123456789") != ""):
		return core.BadControl("name the last three digits of a telephone number, or an operator such as MTN_MOMO_RWA")
	case !known && !named && in.Behaviour != "":
		return core.BadControl("unknown behaviour; the known ones are " + strings.Join(behaviourNames(), ", "))
	case in.Customer != "":
		return core.BadControl("pawaPay knows no customers")
	}
	return core.Done(in, &core.Effect{Kind: scripted, Change: &record{Script: &in}})
}

func (d *Dialect) controlMessage(ref, kind string) (core.Message, bool) {
	var m core.Message
	switch x, r := d.state.deposit(ref), d.state.refunds[ref]; {
	case r != nil:
		m = r.message()
	case x != nil:
		m = x.message()
	default:
		return m, false
	}
	return m, kind == "" || slices.Contains([]string{m.Type}, kind)
}
