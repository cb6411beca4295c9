package lifecycle

import (
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/overdue"
	"perennial/billing/subscribing"
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

// owed returns the open invoices that may be debts. An invoice is none where its subscription, or a change of it, waits
// for the payment: neither is sold yet, and both end without it.
func owed(s State) (invoices []invoice.Invoice) {
	for _, inv := range s.Open {
		if s.Subscription.Status != subscription.Incomplete && !s.Subscription.Pays(inv.ID) {
			invoices = append(invoices, inv)
		}
	}
	return invoices
}

// owedSince returns the time since when an invoice that is replaced now is overdue; zero: it is not.
func owedSince(d *Decision, invoiceID string) time.Time {
	if i := d.indexDraft(invoiceID); i >= 0 {
		return d.Drafts[i].OwedSince
	}
	return overdue.Of(owed(d.State)).Since(invoiceID, d.Now)
}

// reviewDebts decides the state of the customer by the overdue policy, where Elsewhere is loaded, and announces another
// one.
func reviewDebts(d *Decision) {
	if d.Elsewhere == nil {
		return
	}
	invoices := append(slices.Clone(*d.Elsewhere), owed(d.State)...)
	was := d.Customer.Overdue
	is := d.OverduePolicy().Review(was, overdue.Of(invoices), d.Now)
	if is.Equal(was) {
		return
	}
	stand(d, is)
	if is.State != was.State && d.Customer.ErasedAt.IsZero() {
		d.Announce(standingEvent(d.Customer.ID, was, is))
	}
}

func stand(d *Decision, is overdue.Standing) { d.Customer.Overdue, d.Changes.Standing = is, &is }

func standingEvent(customerID string, was, is overdue.Standing) event.OverdueStateChanged {
	e := event.OverdueStateChanged{
		ID: customerID, State: is.State, FormerState: was.State, AccessDenied: is.AccessDenied,
		CancelsSubscriptions: is.Canceling, NeedsPerson: is.NeedsPerson, Invoices: is.Invoices,
		Amounts: []event.OverdueAmount{},
	}
	for _, a := range is.Amounts {
		e.Amounts = append(e.Amounts, event.OverdueAmount{Currency: string(a.Currency), Amount: int64(a.Amount)})
	}
	if !is.Oldest.IsZero() {
		e.OldestAt = is.Oldest.Unix()
	}
	return e
}

// ReviewDebts decides the state of a customer at a time, by the overdue policy. The State is the customer's, with all
// open invoices Elsewhere. Changes.Standing is always set: the customer was to be reviewed, and has been.
func ReviewDebts(s State, at Moment) (State, Changes) {
	d := Begin(s, at)
	if d.Elsewhere == nil { // the policy is gone
		d.Customer.Overdue = overdue.Standing{}
	}
	reviewDebts(d)
	stand(d, d.Customer.Overdue)
	return d.State, d.Changes
}

// CancelForDebt ends a subscription because its customer's state by the overdue policy asks for it. It changes nothing
// where the customer has left that state, where the subscription has ended, and where it began after the state did. The
// caller repeats a fault later.
func CancelForDebt(s State, at Moment) (State, Changes, error) {
	standing, sub := s.Customer.Overdue, s.Subscription
	if !standing.Canceling || sub.Status == subscription.Canceled || sub.CreatedAt.After(standing.Since) {
		return s, Changes{}, nil
	}
	return Apply(s, Cancel{Reason: subscribing.ReasonCustomerOverdue, Immediate: true}, at)
}

// EndCancellations notes that a customer's subscriptions are canceled, as the state by the overdue policy asks for.
func EndCancellations(s State, at Moment) (State, Changes) {
	d := Begin(s, at)
	if is := d.Customer.Overdue; is.Canceling {
		is.Canceling = false
		stand(d, is)
	}
	return d.State, d.Changes
}
