package lifecycle

import "perennial/billing/event"

// overdue announces that the time to pay open invoice i is over. To its subscription that is what the failure of a last
// automatic attempt is.
func (d *decision) overdue(i int) error {
	inv := &d.Open[i]
	inv.OverdueAt = d.Now
	d.Changes.saveInvoice(*inv)
	d.announce(event.InvoiceOverdue{Invoice: inv.Announced(), DueAt: inv.DueAt.Unix()})
	if d.manual() {
		return nil
	}
	return d.decide(d.Subscription.Unpaid(d.settings().Dunning.Final, inv.Collection.Attempts, d.Now))
}
