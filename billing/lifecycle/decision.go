package lifecycle

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// Decision is one decision in the making: the State as it becomes, and the Changes so far. Only the rules make one:
// other rooms ask Advance, Apply and package recording.
type Decision struct {
	State
	Changes Changes
	Moment
	due     time.Time // when what is being done should have been done: Now, or before it while catching up
	asked   bool      // a person asks for the attempt that is made now
	before  subscription.Subscription
	brought []plan.Plan // the plans and add-ons that the command brought, which the State need not have
	last    string      // the invoice that is tried once although the subscription ends; empty: none
	// draftsBefore are the State's, as they were.
	draftsBefore []invoice.Invoice
}

// Time returns the time of a decision in the subscription's own time: that of the test clock where there is one, since
// the caller may not know it. In real time no decision is older than the last one: the caller took the time before it
// waited for the locks, and meanwhile, say, the period ended that a refund is for.
func (s State) Time(at Moment) time.Time {
	switch {
	case !s.ClockNow.IsZero():
		return s.ClockNow
	case at.Now.Before(s.Subscription.UpdatedAt):
		return s.Subscription.UpdatedAt
	}
	return at.Now
}

// Begin begins a decision on a copy of the State. Package recording begins its decisions so, too.
func Begin(s State, at Moment) *Decision {
	d := &Decision{State: s.Clone(), Moment: at, before: s.Subscription, draftsBefore: s.Drafts}
	d.Now = s.Time(at)
	d.due, d.Changes.At = d.Now, d.Now
	d.owner().begin(d)
	return d
}

// Finish decides what happens next automatically, and returns the result of the decision.
func (d *Decision) Finish() (State, Changes, error) {
	if err := d.owner().finish(d); err != nil {
		return State{}, Changes{}, err
	}
	return d.State, d.Changes, nil
}

// changedItems returns the items that are new, have another quantity or another place, and the ids of those that are
// gone.
func changedItems(was, is []subscription.Item) (changed []subscription.Item, ended []string) {
	for i, item := range is {
		if i >= len(was) || was[i] != item {
			changed = append(changed, item)
		}
	}
	for _, item := range was {
		if !slices.ContainsFunc(is, func(other subscription.Item) bool { return other.ID == item.ID }) {
			ended = append(ended, item.ID)
		}
	}
	return changed, ended
}

// behind reports whether something is still due that a decision can do.
func (d *Decision) behind() bool {
	action, at := d.Performable()
	return action != subscription.ActionNone && !d.Now.Before(at)
}

// settleState makes the State what a reader finds after the write: with the revisions that writing counts up, and with
// no more than a reader would load.
func (ofSubscription) settleState(d *Decision) {
	past := func(inv invoice.Invoice) bool { return !d.Subscription.Spans(inv) }
	d.Paid, d.WrittenOff = slices.DeleteFunc(d.Paid, past), slices.DeleteFunc(d.WrittenOff, past)
	d.settleGrants()
	slices.SortFunc(d.Drafts, byGrace)
	slices.SortFunc(d.Pending, func(a, b payment.Transaction) int { return cmp.Compare(a.ID, b.ID) })
	for _, written := range d.Changes.Transactions {
		for i := range d.Pending {
			if d.Pending[i].ID == written.ID {
				d.Pending[i].Revision++
			}
		}
		for id, t := range d.Captures {
			if t.ID == written.ID {
				t.Revision++
				d.Captures[id] = t
			}
		}
	}
}

// situation returns that of the State, with the ids of the subscription's items and the taxes of now.
func (d *Decision) situation() subscribing.Situation {
	s := d.Situation()
	s.Facts.Rates = tax.Holding(d.TaxRates, d.payer(), d.due)
	s.Facts.ItemID = func(priceID string) string { return ItemID(d.IDs, d.Subscription, priceID) }
	return s
}

// Announce adds an event, at the subscription's own time.
func (d *Decision) Announce(data event.Data) {
	d.Changes.Events = append(d.Changes.Events, event.New(data, d.Now))
}

// SaveTransaction keeps the list of pending charges in step.
func (d *Decision) SaveTransaction(t payment.Transaction) {
	d.Changes.saveTransaction(t)
	i := slices.IndexFunc(d.Pending, func(p payment.Transaction) bool { return p.ID == t.ID })
	if i < 0 {
		return
	}
	if d.Pending[i] = t; t.Status != payment.Pending {
		d.Pending = slices.Delete(d.Pending, i, i+1)
	}
}
