package charging

import (
	"slices"

	"perennial/billing/payment"
	"perennial/billing/routing"
)

// route chooses the account that takes the first send of a payment; none: the step's Reason says why. It decides at the
// time of the send, since a choice made with the payment may be hours old.
func (d *decision) route() bool {
	found := d.Known.Routing
	if found == nil {
		return d.needs(Need{Of: NeedRouting})
	}
	d.step.Hold.Revision = found.Revision
	if found.Paused {
		d.stopped("Charging is paused in this environment.")
		return true
	}
	accounts := make([]routing.Account, len(found.AccountIDs))
	for i, id := range found.AccountIDs {
		accounts[i] = d.Known.Accounts[id].Account
	}
	choices, excluded := routing.Route(d.payment(), found.Rules, accounts, d.Now)
	if forced, ok := routing.Forced(excluded); ok && len(choices) == 0 {
		choices = append(choices, forced)
	}
	choices = slices.DeleteFunc(choices, func(c routing.Choice) bool {
		return slices.Contains(d.Progress.Refused, c.AccountID)
	})
	for i, c := range choices {
		takes, ok := d.takes(c, &excluded)
		if !ok {
			return false
		}
		if takes {
			d.step.Reason, d.step.Backups = c.Reason, len(choices)-i-1
			d.choose(d.Known.Accounts[c.AccountID])
			return true
		}
	}
	d.step.Reason, d.step.Wait = routing.Explain(excluded), max(d.step.Wait, routing.Wait(excluded))
	if stopped, ok := routing.Stops(excluded); ok && d.step.Wait == 0 && len(d.Progress.Refused) == 0 {
		d.stopped("Charging is paused for the payment provider " + stopped + ".")
	}
	return true
}

// takes reports whether the account of a choice takes the payment after all: it can be opened, and no other payment
// probes it. known is false where that must be found out first.
func (d *decision) takes(c routing.Choice, excluded *[]routing.Exclusion) (takes, known bool) {
	a, known := d.opened(c.AccountID)
	if !known {
		return false, false
	}
	if a.Opening == Closed { // nothing was sent, so that the payment goes to the next account
		d.step.Unreadable, d.step.Wait = append(d.step.Unreadable, a.ID), routing.Cooldown
		*excluded = append(*excluded, routing.Exclusion{
			AccountID: a.ID, Provider: a.Provider, Why: "its stored credentials cannot be read", Cause: routing.Resting,
		})
		return false, true
	}
	switch {
	case !c.Probe:
		return true, true
	case d.mayRepeat(): // what is looked for first would only use the claim up
		d.unclaimed = true
		return true, true
	}
	mine, known := d.probes(a.ID)
	if known && !mine { // another payment probes it
		d.step.Wait = routing.Cooldown
	}
	return mine, known
}

// stopped notes that a charging stop holds a first send.
func (d *decision) stopped(why string) {
	d.step.Hold.ByStop, d.step.Reason = true, why+" The payment is sent when charging is resumed."
}

// claim claims the probe of a send that was not looked for after all, because no account could be asked. Where another
// payment probes the account, this one waits.
func (d *decision) claim() bool {
	if !d.unclaimed || d.step.Move != payment.MoveSend {
		return true
	}
	mine, known := d.probes(d.account.ID)
	if known && !mine {
		d.step.Move, d.step.Reason, d.step.Wait = payment.MoveHold, "Another payment probes the account.", routing.Cooldown
		d.step.unchosen()
	}
	return known
}
