package lifecycle

import (
	"reflect"
	"time"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
)

// owner is the subject of a State: a subscription, or a customer without one. It has the differences between their
// decisions. SubscriptionID tells callers which workflow follows a transaction.
type owner interface {
	// begin converts the State to the form of the present rules.
	begin(d *Decision)
	// catchUp performs all actions that are due by now.
	catchUp(d *Decision) error
	// finish sets the next automatic action.
	finish(d *Decision) error
	// next returns the next automatic action, and its time.
	next(s State) (subscription.Action, time.Time)
	// payable returns the invoice that a payment pays. Faults: those of subscribing.Payable.
	payable(d *Decision, amount *money.Minor) (invoice.Invoice, error)
	// settled returns the decision about the payment of an invoice.
	settled(d *Decision, inv invoice.Invoice) (subscribing.Decision, error)
	// spans reports whether later decisions depend on a closed invoice.
	spans(s State, inv invoice.Invoice) bool
	// writtenOff applies the write-off of an invoice.
	writtenOff(d *Decision, inv invoice.Invoice) error
	// unpaid applies the end of an invoice's automatic collection.
	unpaid(d *Decision, attempts int) error
	// retries reports whether a failed attempt is retried automatically.
	retries(s State) bool
	// made records a new attempt, which a workflow carries out.
	made(d *Decision, attempt payment.Transaction)
	// attemptsSince returns the base of the sort times of an invoice's attempts.
	attemptsSince(d *Decision, inv invoice.Invoice) time.Time
	// unwatched reports whether no workflow waits for the time to pay the State's invoices.
	unwatched(s State) bool
	// waits reports whether an attempt that began in time delays the overdue state of an invoice.
	waits(inv invoice.Invoice) bool
}

// owner returns the owner of the State.
func (s State) owner() owner {
	if s.Subscription.ID == "" {
		return ofCustomer{}
	}
	return ofSubscription{}
}

// ofSubscription owns a State with a Subscription. One workflow follows all its charges.
type ofSubscription struct{}

func (ofSubscription) begin(d *Decision) {
	d.Subscription = d.situation().Itemized()
}

// catchUp performs all actions that are due by now. Meanwhile d.due is their due time.
func (owner ofSubscription) catchUp(d *Decision) error {
	if !d.Customer.ErasedAt.IsZero() {
		return owner.endErased(d)
	}
	defer func() { d.due = d.Now }()
	for range maxSteps {
		if err := owner.collectNext(d); err != nil {
			return err
		}
		action, at := d.Performable()
		collecting := d.IndexOpen(d.Subscription.CollectingInvoiceID)
		if action == subscription.ActionPaymentRetry && owner.holdsUp(d, collecting) {
			action, at = subscription.ActionScheduledChange, d.Subscription.Scheduled[0].At
		}
		if action == subscription.ActionNone || d.Now.Before(at) {
			return nil
		}
		d.due = at
		if err := owner.perform(d, action); err != nil {
			return err
		}
	}
	return nil
}

// finish begins the collection of the next open invoice, and decides whether the subscription is finished.
func (owner ofSubscription) finish(d *Decision) error {
	if err := owner.collectNext(d); err != nil {
		return err
	}
	s := &d.Subscription
	s.NextAction, s.NextActionAt = d.Next()
	d.Changes.Unfinished = d.behind()
	switch pending := len(d.Pending)+len(d.Drafts) > 0; {
	case s.Status == subscription.Canceled && !pending && s.FinishedAt.IsZero():
		s.FinishedAt = d.Now
	case pending: // also of a canceled one, when an open invoice of it is paid
		s.FinishedAt = time.Time{}
	}
	if !reflect.DeepEqual(d.before, *s) {
		s.UpdatedAt = d.Now
		d.Changes.Items, d.Changes.EndedItems = changedItems(d.before.Items, s.Items)
		saved := *s
		d.Changes.Subscription = &saved
		s.Revision++
	}
	owner.settleState(d)
	return nil
}

// notBefore reports whether an action is not before other; ActionNone never is.
func notBefore(action subscription.Action, at, other time.Time) bool {
	return action == subscription.ActionNone || !other.After(at)
}

func (ofSubscription) next(s State) (subscription.Action, time.Time) {
	var collecting *collection.State
	if i := s.IndexOpen(s.Subscription.CollectingInvoiceID); i >= 0 {
		collecting = &s.Open[i].Collection
	}
	action, at := s.Subscription.Next(collecting, s.settings())
	if due, ok := s.dueNext(); ok && notBefore(action, at, due) {
		action, at = subscription.ActionInvoiceOverdue, due
	}
	if draft, ok := s.nextDraft(); ok && notBefore(action, at, draft.TriedAt()) {
		action, at = subscription.ActionFinalize, draft.TriedAt()
		if draft.AwaitsUsage() {
			action = subscription.ActionBillUsage
		}
	}
	if _, late, ok := metering.BillLate(s.Subscription); ok && (action == subscription.ActionNone || late.Before(at)) {
		action, at = subscription.ActionBillUsage, late
	}
	situation := s.Situation()
	change, ok := situation.ChangeAt()
	// Before the boundary that it may change, and after actions of an older period.
	older := action == subscription.ActionPaymentRetry || action == subscription.ActionInvoiceOverdue ||
		action == subscription.ActionFinalize || action == subscription.ActionBillUsage ||
		action == subscription.ActionPendingChangeEnd
	if ok && (change.Before(at) || change.Equal(at) && !older) {
		action, at = subscription.ActionScheduledChange, change
	}
	reminder, ok := situation.ReminderAt(s.Customer.AsksPayer())
	if ok && reminder.Before(at) {
		return subscription.ActionRenewalReminder, reminder
	}
	return action, at
}

func (ofSubscription) payable(d *Decision, amount *money.Minor) (invoice.Invoice, error) {
	return d.situation().Payable(amount)
}

func (ofSubscription) settled(d *Decision, inv invoice.Invoice) (subscribing.Decision, error) {
	return d.situation().Settled(inv, d.Now)
}

func (ofSubscription) spans(s State, inv invoice.Invoice) bool { return s.Subscription.Spans(inv) }

func (ofSubscription) writtenOff(d *Decision, inv invoice.Invoice) error {
	return d.decide(d.situation().WrittenOff(inv, d.Now))
}

func (ofSubscription) unpaid(d *Decision, attempts int) error {
	return d.decide(d.situation().Unpaid(d.settings().Dunning.Final, attempts, d.Now))
}

func (ofSubscription) retries(s State) bool { return s.Subscription.Status != subscription.PastDue }

func (ofSubscription) made(*Decision, payment.Transaction) {}

func (ofSubscription) attemptsSince(d *Decision, inv invoice.Invoice) time.Time {
	return d.sortsBy(inv.Period.Start)
}

func (ofSubscription) unwatched(s State) bool { return s.Subscription.Status == subscription.Canceled }

func (ofSubscription) waits(inv invoice.Invoice) bool {
	return inv.Collection.Phase == collection.Charging
}

// ofCustomer owns a State without a Subscription. It has a manual invoice (ADR 47) as Draft or as the only Open one, or
// none. Commands about invoices and answers of providers change it as they change a subscription's. But its only
// automatic event is that it becomes overdue, and each attempt has its own workflow.
type ofCustomer struct{}

func (ofCustomer) begin(*Decision) {}

func (ofCustomer) catchUp(*Decision) error { return nil }

func (ofCustomer) finish(d *Decision) error {
	d.settleGrants()
	return nil
}

func (ofCustomer) next(State) (subscription.Action, time.Time) {
	return subscription.ActionNone, time.Time{}
}

func (ofCustomer) payable(d *Decision, amount *money.Minor) (invoice.Invoice, error) {
	return subscribing.Exactly(d.Open, amount)
}

func (ofCustomer) settled(*Decision, invoice.Invoice) (subscribing.Decision, error) {
	return subscribing.Decision{}, nil
}

func (ofCustomer) spans(State, invoice.Invoice) bool { return false }

func (ofCustomer) writtenOff(*Decision, invoice.Invoice) error { return nil }

func (ofCustomer) unpaid(*Decision, int) error { return nil }

func (ofCustomer) retries(State) bool { return false }

func (ofCustomer) made(d *Decision, attempt payment.Transaction) {
	d.Changes.Starts = append(d.Changes.Starts, attempt.ID)
}

func (ofCustomer) attemptsSince(_ *Decision, inv invoice.Invoice) time.Time { return inv.CreatedAt }

func (ofCustomer) unwatched(State) bool { return true }

func (ofCustomer) waits(invoice.Invoice) bool { return false }
