package lifecycle

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// Decision is a decision in progress: the changed State, and the Changes so far. Only the rules create one: other
// packages call Advance, Apply and package recording.
type Decision struct {
	State
	Changes Changes
	Moment
	due     time.Time // when the present action was due: Now, or earlier while catching up
	asked   bool      // a person requested the present attempt
	before  subscription.Subscription
	brought []plan.Plan // the plans and add-ons of the command, which the State may lack
	// corrects are the lines for usage that corrections of the present draft are of.
	corrects []invoice.OnInvoice
	last     string // the invoice with one attempt although the subscription ends; empty: none
	// draftsBefore are the State's drafts before the decision.
	draftsBefore []invoice.Invoice
}

// Time returns the time of a decision for the subscription: that of its test clock, since the caller may not know it,
// or real time. In real time no decision is older than the last one: the caller reads the time before it waits for the
// locks, and meanwhile, for example, the period of a refund may end.
func (s State) Time(at Moment) time.Time {
	switch {
	case !s.ClockNow.IsZero():
		return s.ClockNow
	case at.Now.Before(s.Subscription.UpdatedAt):
		return s.Subscription.UpdatedAt
	}
	return at.Now
}

// Begin begins a decision on a copy of the State. Package recording uses it too.
func Begin(s State, at Moment) *Decision {
	d := &Decision{State: s.Clone(), Moment: at, before: s.Subscription, draftsBefore: s.Drafts}
	d.Now = s.Time(at)
	d.due, d.Changes.At = d.Now, d.Now
	d.owner().begin(d)
	return d
}

// Finish sets the next automatic action, reviews the customer's debts, and returns the result of the decision.
func (d *Decision) Finish() (State, Changes, error) {
	if err := d.owner().finish(d); err != nil {
		return State{}, Changes{}, err
	}
	reviewDebts(d)
	return d.State, d.Changes, nil
}

// changedItems returns new items and those with another quantity or position, and the ids of removed ones.
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

// behind reports whether an action that a decision can perform is still due.
func (d *Decision) behind() bool {
	action, at := d.Performable()
	return action != subscription.ActionNone && !d.Now.Before(at)
}

// settleState makes the State equal to a later read: with the revisions that the write increments, and only with the
// rows that a reader would load.
func (ofSubscription) settleState(d *Decision) {
	FindHomes(&d.State)
	d.Homes = withoutVoid(d.Homes, d.Changes.Invoices)
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

// situation returns the situation of the State, with the ids of the subscription's items and the present taxes.
func (d *Decision) situation() subscribing.Situation {
	s := d.Situation()
	s.Facts.Rates = tax.Holding(d.TaxRates, d.payer(), d.due)
	s.Facts.ItemID = func(priceID string) string { return ItemID(d.IDs, d.Subscription, priceID) }
	return s
}

// Announce adds an event, at the subscription's time.
func (d *Decision) Announce(data event.Data) {
	d.Changes.Events = append(d.Changes.Events, event.New(data, d.Now))
}

// SaveTransaction saves a transaction, and updates the list of pending charges.
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

// invoiceID derives the id of an automatic invoice from its period or its scheduled change: a restored database that
// opens the period again creates the same id. A command's invoice has a random id.
func (d *Decision) invoiceID(draft invoice.Draft) string {
	start := draft.Period.Start
	sorts := d.sortsBy(start)
	if draft.Last && draft.After != "" {
		return d.IDs.Invoice(sorts, d.Subscription.ID, "last", draft.After)
	}
	if draft.Last {
		return d.IDs.Invoice(sorts, d.Subscription.ID, "last")
	}
	if draft.Change != "" {
		return d.IDs.Invoice(sorts, d.Subscription.ID, "change", draft.Change)
	}
	if draft.Reason == invoice.Update {
		return d.IDs.Invoice(d.Real)
	}
	return d.IDs.Invoice(sorts, d.Subscription.ID, strconv.FormatInt(start.Unix(), 10), string(draft.Reason), draft.After)
}

// sortsBy returns the sort time of an id for a period: the period's start, but at least the creation of the
// subscription, so that lists in id order show backdated invoices at their creation.
func (s State) sortsBy(start time.Time) time.Time {
	if created := s.Subscription.CreatedAt; start.Before(created) {
		return created
	}
	return start
}

// idTime returns the sort time of ids of what belongs to an invoice: now where a command makes the invoice, else one
// that a repetition of the same work has too.
func (d *Decision) idTime(draft invoice.Draft) time.Time {
	if draft.Reason == invoice.Update && !draft.Last && draft.Change == "" {
		return d.Real
	}
	return d.sortsBy(draft.Period.Start)
}

// lineID derives the id of a line from its invoice and its position there.
func (d *Decision) lineID(draft invoice.Draft, invoiceID string, position int) string {
	at := d.idTime(draft).Add(time.Duration(position) * time.Millisecond) // lines of one invoice sort by position
	return d.IDs.Line(at, invoiceID, strconv.Itoa(position))
}
