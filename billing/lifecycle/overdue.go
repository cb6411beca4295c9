package lifecycle

import (
	"time"

	"perennial/billing/event"
	"perennial/billing/subscription"
)

// OverdueNews is the time after its due date in which an invoice of a canceled subscription is still announced as
// overdue. Apps write to people on this event, and earlier builds, which never announced it, have left old invoices.
const OverdueNews = 30 * 24 * time.Hour

// Overdue announces open invoices of the State whose time to pay has ended, each once, where no workflow waits for that
// time: manual ones, and those of a canceled subscription. The latter wait for a payment that began in time.
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

// overdue announces that the time to pay open invoice i has ended. For an active subscription it counts as the failure
// of the last automatic attempt.
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
