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

// Settled is what the payment of an invoice means for its subscription: paid through the end of what the invoice bills,
// activated by the first one, recovered from past due by any. A recovered subscription is billed for its current period
// in full where no invoice did; periods that were skipped never are, nor one that is over by now. While an older
// invoice stays unpaid after its last attempt, an invoice that needed no payment (credit covered it) recovers nothing.
// The facts are those with the invoice paid. Fault: subscription_in_trial.
func (s Situation) Settled(paid invoice.Invoice, now time.Time) (Decision, error) {
	if err := permit(s.Status, paymentSettled); err != nil {
		return Decision{}, err
	}
	if paid.Reason != invoice.Usage { // which pays for no time that access depends on
		s.ExtendPaid(paid.Period.End)
	}
	if s.Status == subscription.Paused { // the pause ended that time
		s.LimitPaid(s.PausedAt)
	}
	if paid.Reason != invoice.Usage {
		s.Complete()
	}
	if s.Status == subscription.Active && s.ActivatedAt.IsZero() && paid.Reason != invoice.Usage {
		s.ActivatedAt = now
		return Decision{Subscription: s.Subscription, Events: []event.Event{s.Activated(now)}}, nil
	}
	return s.recovered(paid, now)
}

// WrittenOff is what it means for its subscription that a person gave an invoice up, by voiding it or marking it
// uncollectible: nothing is paid for by it, but a past-due subscription with no other invoice in collection is active
// again. The facts are those with the invoice given up. Fault: subscription_in_trial.
func (s Situation) WrittenOff(inv invoice.Invoice, now time.Time) (Decision, error) {
	if err := permit(s.Status, invoiceWrittenOff); err != nil {
		return Decision{}, err
	}
	return s.recovered(inv, now)
}

// recovered lets a past-due subscription be active again once none of its invoices but the closed one has been tried.
// Its current period is billed in full where no invoice did. Usage that is paid activates none that no period was paid
// of.
func (s Situation) recovered(closed invoice.Invoice, now time.Time) (Decision, error) {
	if s.Status != subscription.PastDue || s.Facts.InCollection(closed.ID) {
		return Decision{Subscription: s.Subscription}, nil
	}
	d := Decision{}
	s.Status, s.PastDueAt, s.CollectionPausedAt = subscription.Active, time.Time{}, time.Time{}
	if now.Before(s.CurrentPeriod.End) && !s.Covered() {
		lines, err := s.WholePeriod(s.Items, s.Facts.Plan)
		if err != nil {
			return Decision{}, err
		}
		if lines, err = s.Discounted(s.PendingLines, lines); err != nil {
			return Decision{}, err
		}
		d.Issue = s.Billed(invoice.Recovery, s.CurrentPeriod, lines, s.Waiting())
		if len(d.Issue) == 0 {
			s.ExtendPaid(s.CurrentPeriod.End)
		} else {
			d.Issue[0].After = closed.ID
		}
	}
	if s.ActivatedAt.IsZero() && closed.Reason != invoice.Usage {
		s.ActivatedAt = now
	}
	d.Events = []event.Event{s.Activated(now)}
	d.Subscription = s.Subscription
	return d, nil
}

// Unpaid is what the failure of an invoice's last automatic attempt means: past due, once, and with the final action
// pause, that collection is paused. In a pause it means nothing until that ends: see Resume. attempts is how many
// attempts the invoice has seen. Faults: subscription_canceled, subscription_in_trial.
func (s Situation) Unpaid(final dunning.Action, attempts int, now time.Time) (Decision, error) {
	if err := permit(s.Status, retriesExhausted); err != nil {
		return Decision{}, err
	}
	if s.Status != subscription.Active { // an incomplete one has its time to pay
		return Decision{Subscription: s.Subscription}, nil
	}
	s.Status, s.PastDueAt = subscription.PastDue, now
	if final == dunning.Pause {
		s.CollectionPausedAt = now
	}
	return Decision{Subscription: s.Subscription, Events: []event.Event{event.New(event.SubscriptionPastDue{
		Subscription: s.Announced(), FailedPaymentAttempts: attempts, CollectionPaused: s.CollectionPaused(),
	}, now)}}, nil
}

// ResumeCollection ends a pause. The subscription stays past due until it is paid. Faults: collection_not_paused,
// subscription_canceled.
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

// ExpirePastDue cancels a subscription that was past due for as long as its environment allows. Faults:
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

// Payable names the invoice that a payment for the subscription pays: the one in collection, else its oldest open one.
// They are the same, unless a draft was issued while a younger invoice was in collection. amount, where given, must be
// exactly what is due. Faults: nothing_to_pay, subscription_in_trial, amount_mismatch.
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

// Exactly is the oldest of open invoices, where amount, if given, is what is due on it. Faults: nothing_to_pay,
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
