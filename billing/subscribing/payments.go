package subscribing

import (
	"slices"
	"time"

	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// Settled applies the payment of an invoice to its subscription: it is paid through the invoice's period, active after
// the first payment, and recovered from past due by any. A recovered subscription is billed in full for a current
// period without an invoice, but never for skipped or ended periods. While an older invoice stays unpaid after its last
// attempt, an invoice that needed no payment (credit covered it) does not recover it. A change that waited for the
// payment is made. The facts have the invoice as paid. Fault: subscription_in_trial.
func (s Situation) Settled(paid invoice.Invoice, now time.Time) (Decision, error) {
	if err := permit(s.Status, paymentSettled); err != nil {
		return Decision{}, err
	}
	var made []event.Event
	if s.Pays(paid.ID) {
		change := makePending(s, now)
		s.Subscription, made = change.Subscription, change.Events
	}
	d, err := settled(s, paid, now)
	d.Events = append(made, d.Events...)
	return d, err
}

// settled is Settled without the change that the invoice pays for.
func settled(s Situation, paid invoice.Invoice, now time.Time) (Decision, error) {
	if paid.Reason != invoice.Usage { // usage invoices pay for no time of access
		if !owesPlan(s) {
			s.ExtendPaid(paid.Period.End)
		}
		s.ExtendPaid(paysPlan(s, paid))
		closesDebt(&s, paid)
		regainsPaid(&s, paid)
	}
	if s.Status == subscription.Paused { // the pause ended that time
		s.LimitPaid(s.PausedAt)
	}
	if paid.Reason != invoice.Usage {
		s.Complete()
	}
	if s.Status == subscription.Active && s.ActivatedAt.IsZero() && paid.Reason != invoice.Usage && !owesPlan(s) {
		s.ActivatedAt = now
		return Decision{Subscription: s.Subscription, Events: []event.Event{s.Activated(now)}}, nil
	}
	return s.recovered(paid, now)
}

// closesDebt notes that an invoice is not owed any more. One that was issued before a change of its period does not pay
// for the change: late money for it leaves the invoice of the change owed. A change that waits for its payment is not
// made: its invoice is no debt.
func closesDebt(s *Situation, inv invoice.Invoice) {
	if !uncommitted(*s).Facts.OwedSince(inv) {
		paysChange(s, inv.PeriodIndex, inv.ID)
	}
}

// WrittenOff applies a person's write-off of an invoice, void or uncollectible. It pays for no time, but a past-due
// subscription without another invoice in collection becomes active, and for a void invoice nothing is owed any more.
// The facts have the invoice as given up. Fault: subscription_in_trial.
func (s Situation) WrittenOff(inv invoice.Invoice, now time.Time) (Decision, error) {
	if err := permit(s.Status, invoiceWrittenOff); err != nil {
		return Decision{}, err
	}
	if inv.Status == invoice.Void && inv.Reason != invoice.Usage {
		closesDebt(&s, inv)
	}
	return s.recovered(inv, now)
}

// recovered makes a past-due subscription active once no other of its invoices has been tried. It bills a current
// period without an invoice in full. A paid usage invoice does not activate a subscription whose periods were never
// paid.
func (s Situation) recovered(closed invoice.Invoice, now time.Time) (Decision, error) {
	if s.Status != subscription.PastDue || s.Facts.InCollection(closed.ID) {
		return Decision{Subscription: s.Subscription}, nil
	}
	d := Decision{}
	s.Status, s.PastDueAt, s.CollectionPausedAt = subscription.Active, time.Time{}, time.Time{}
	if now.Before(s.CurrentPeriod.End) && !s.Covered() {
		lines, err := s.Due(s.Facts.Plan, false, s.PendingLines)
		if err != nil {
			return Decision{}, err
		}
		if lines, err = s.Discounted(s.PendingLines, lines); err != nil {
			return Decision{}, err
		}
		d.Issue = s.Billed(invoice.Recovery, s.CurrentPeriod, lines, s.Waiting())
		if len(d.Issue) == 0 {
			if !owesPlan(s) {
				s.ExtendPaid(s.CurrentPeriod.End)
			}
			paysChange(&s, s.PeriodIndex, closed.ID)
		} else {
			d.Issue[0].After = closed.ID
		}
	} else if s.Covered() && !s.Facts.Owes(s.PeriodIndex, closed.ID) { // its lines wait, or were billed before
		if s.FreeIndex == s.PeriodIndex && !owesPlan(s) {
			s.ExtendPaid(s.CurrentPeriod.End)
		}
		paysChange(&s, s.PeriodIndex, closed.ID)
	}
	if s.ActivatedAt.IsZero() && closed.Reason != invoice.Usage && !owesPlan(s) {
		s.ActivatedAt = now
	}
	d.Events = []event.Event{s.Activated(now)}
	d.Subscription = s.Subscription
	return d, nil
}

// Unpaid applies the failure of an invoice's last automatic attempt: past due, once, and with the final action pause, a
// pause of collection. In a pause of the subscription it has no effect until the end: see Resume. attempts counts the
// invoice's attempts. Faults: subscription_canceled, subscription_in_trial.
func (s Situation) Unpaid(final dunning.Action, attempts int, now time.Time) (Decision, error) {
	if err := permit(s.Status, retriesExhausted); err != nil {
		return Decision{}, err
	}
	waits := s.Pays(s.CollectingInvoiceID)        // so does a change
	if s.Status != subscription.Active || waits { // an incomplete one keeps its time to pay
		return Decision{Subscription: s.Subscription}, nil
	}
	s.Status, s.PastDueAt = subscription.PastDue, now
	keepsPlan(&s, now)
	keepsPaid(&s)
	if final == dunning.Pause {
		s.CollectionPausedAt = now
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{event.New(event.SubscriptionPastDue{
		Subscription: s.Announced(), FailedPaymentAttempts: attempts, CollectionPaused: s.CollectionPaused(),
	}, now)}}, nil
}

// ResumeCollection ends a pause of collection. The subscription stays past due until it is paid. Faults:
// collection_not_paused, subscription_canceled.
func (s Situation) ResumeCollection(now time.Time) (Decision, error) {
	if err := permit(s.Status, resumeCollection); err != nil {
		return Decision{}, err
	}
	if !s.CollectionPaused() {
		return Decision{}, ErrCollectionNotPaused
	}
	s.CollectionPausedAt = time.Time{}
	return Decision{Subscription: s.Subscription, Events: []event.Event{s.Updated(now, "collectionPaused")}}, nil
}

// ExpirePastDue cancels a subscription that was past due for the time that its environment allows. Faults:
// subscription_not_past_due, past_due_not_ended, subscription_canceled.
func (s Situation) ExpirePastDue(now time.Time) (Decision, error) {
	if err := permit(s.Status, pastDueExpired); err != nil {
		return Decision{}, err
	}
	end, ok := s.PastDueEnd(s.Facts.Settings)
	if !ok || now.Before(end) {
		return Decision{}, ErrPastDueNotEnded
	}
	return s.end(ReasonPastDueExpired, now), nil
}

// Payable returns the invoice that a payment for the subscription pays: the one in collection, else its oldest open
// one. They differ only where a draft was issued while a younger invoice was in collection. amount, if given, must
// equal the amount due. Faults: nothing_to_pay, subscription_in_trial, amount_mismatch.
func (s Situation) Payable(amount *money.Minor) (invoice.Invoice, error) {
	if err := permit(s.Status, payInvoice); err != nil {
		return invoice.Invoice{}, err
	}
	collecting := func(inv invoice.Invoice) bool { return inv.ID == s.CollectingInvoiceID }
	if i := slices.IndexFunc(s.Facts.Open, collecting); i >= 0 {
		return Exactly(s.Facts.Open[i:], amount)
	}
	return Exactly(s.Facts.Open, amount)
}

// Exactly returns the oldest of open invoices. amount, if given, must equal its amount due. Faults: nothing_to_pay,
// amount_mismatch.
func Exactly(open []invoice.Invoice, amount *money.Minor) (invoice.Invoice, error) {
	if len(open) == 0 {
		return invoice.Invoice{}, ErrNothingOpen
	}
	oldest := open[0]
	if amount != nil && *amount != oldest.AmountDue {
		return invoice.Invoice{}, fault.InvalidParam("amount", "amount_mismatch",
			"The amount due on invoice %s is %d minor units (%s). Send exactly this amount, or omit `amount`.",
			oldest.ID, oldest.AmountDue, money.Format(oldest.AmountDue, oldest.Currency))
	}
	return oldest, nil
}
