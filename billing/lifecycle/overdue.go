package lifecycle

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/subscription"
)

// OverdueNews is the time after its due date in which an invoice that a canceled subscription left is still announced
// as overdue: apps write to people on this event, and earlier builds, which announced none of them, have left old ones.
const OverdueNews = 30 * 24 * time.Hour

// Overdue announces open invoices of the State whose time to pay is over, each once, where no workflow waits for that
// time: a manual one, and those that a canceled subscription left open. A payment of these that began in time is waited
// for.
func Overdue(s State, at Moment) (State, Changes, error) {
	d := Begin(s, at)
	if !d.owner().unwatched(d.State) {
		return d.State, d.Changes, nil
	}
	for i, inv := range d.Open {
		if !inv.Overdue(d.Now) || !inv.OverdueAt.IsZero() || d.owner().waits(inv) {
			continue
		}
		if err := d.overdue(i); err != nil {
			return State{}, Changes{}, err
		}
	}
	return d.Finish()
}

// overdue announces that the time to pay open invoice i is over. To a subscription that goes on it is what the failure
// of a last automatic attempt is.
func (d *Decision) overdue(i int) error {
	inv := &d.Open[i]
	inv.OverdueAt = d.Now
	d.Changes.Invoices.save(*inv)
	d.Announce(event.InvoiceOverdue{Invoice: inv.Announced(), DueAt: inv.DueAt.Unix()})
	if d.Subscription.Status == subscription.Canceled {
		return nil
	}
	return d.owner().unpaid(d, inv.Collection.Attempts)
}
