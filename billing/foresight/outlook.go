package foresight

import (
	"slices"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// Expected is one thing that will happen to a subscription automatically.
type Expected struct {
	At     time.Time // in the subscription's own time; before now: it is late
	Action subscription.Action
	// Amount is the amount that would be charged then, in minor units; 0: none.
	Amount money.Minor
	// InvoiceID is the open invoice that a retry collects; empty: none.
	InvoiceID string
	// Retry of Retries: which automatic retry of the invoice it is, from 1; 0: none.
	Retry, Retries int
	// PlanID, Quantity and AddOns are the subscription's from then on, where a scheduled change takes effect.
	PlanID   string
	Quantity int64
	AddOns   *subscription.AddOns // nil: they stay
	// Status is the subscription's from then on, where that is another one.
	Status subscription.Status
	// Estimated: Amount has usage, of which more may be recorded.
	Estimated bool
}

// Outlook returns the next n automatic actions, as if every payment succeeded at its first attempt, including present
// ones. Late actions come in one step. Without known, no usage is billed; with it, the usage that is known by now.
// Fault: command_broken.
func Outlook(s lifecycle.State, n int, known *Usage, at lifecycle.Moment) ([]Expected, error) {
	f := newForesight(s, nil, playUsage(known, s), at)
	out, err := f.outlook(n)
	if err == nil {
		f.usage.end()
	}
	return out, lifecycle.Broken(err)
}

func (f *foresight) outlook(n int) (out []Expected, err error) {
	if err := f.payAll(); err != nil {
		return nil, err
	}
	for len(out) < n {
		action, next := f.Next()
		if action == subscription.ActionNone {
			break
		}
		if len(out) > 0 && next.Before(out[len(out)-1].At) { // what came before made it due, when its own date had passed
			next = out[len(out)-1].At
		}
		e := f.expect(action, next)
		before, issued := f.Subscription, len(f.issued)
		f.moveTo(next)
		if err := f.step(); err != nil {
			return nil, err
		}
		e.follow(before, f.Subscription, f.issued[issued:])
		out = append(out, e)
	}
	return out, nil
}

// expect returns the facts about an action that are known before it happens.
func (f *foresight) expect(action subscription.Action, at time.Time) Expected {
	e := Expected{At: at, Action: action}
	if i := f.IndexOpen(f.Subscription.CollectingInvoiceID); action == subscription.ActionPaymentRetry && i >= 0 {
		inv := f.Open[i]
		e.InvoiceID, e.Amount = inv.ID, inv.AmountDue
		e.Retry, e.Retries = inv.Collection.Automatic+inv.Collection.Skipped, f.Retries()
	}
	return e
}

// follow adds the facts that are known after it.
func (e *Expected) follow(before, after subscription.Subscription, issued []invoice.Invoice) {
	for _, inv := range issued {
		e.Amount += inv.AmountDue
		e.Estimated = e.Estimated || !inv.UsageUntil.IsZero()
	}
	if after.PlanID != before.PlanID {
		e.PlanID = after.PlanID
	}
	if after.Quantity != before.Quantity {
		e.Quantity = after.Quantity
	}
	if !slices.Equal(after.AddOns, before.AddOns) {
		e.AddOns = &after.AddOns
	}
	if after.Status != before.Status {
		e.Status = after.Status
	}
}
