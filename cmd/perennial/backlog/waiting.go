package backlog

import (
	"context"
	"fmt"
	"time"

	"perennial/db"
)

// Waiting is one reason for which money waits, as operators see it.
type Waiting struct {
	Check         string // of the doctor
	Noun          string // the name of one of them
	State         string // their fault, printed behind their number; empty: the check has its own text
	Alarm, Remedy string
	Metric, Text  string // perennial_ and this: a count, the age of the oldest, amounts by currency
	// Counted: the gauges of the backlog have number and age, so that only the amounts are left.
	Counted bool
	Read    func(context.Context, *db.Store, time.Time) ([]db.WaitingMoney, error)
	// Examples names some of them for the doctor; nil: the first ID of each sum does.
	Examples func(context.Context, *db.Store, time.Time) (string, error)
}

// IDField is the field of the log that names one of them.
func (w Waiting) IDField() string {
	switch w.Noun {
	case overdueActions.Noun:
		return "subscriptionId"
	case unratedUsage.Noun:
		return "invoiceId"
	}
	return "transactionId"
}

// AllWaiting is in the order in which the doctor shows it.
var AllWaiting = []Waiting{
	overdueActions, overduePayments, paymentsInReview, untakenCharges, undecidedPayments, refundsOwed,
	unratedUsage,
}

var overdueActions = Waiting{
	Check: "overdue work", Noun: "subscription", State: ": the next action is overdue", Metric: "overdue_actions",
	Text: "What waits for overdue actions of subscriptions: their open invoices, and the price of the period to begin",
	Alarm: "subscriptions are overdue: see that workers run; `perennial doctor` names some, and their workflows in Temporal " +
		"say what they wait for",
	Remedy: "check that workers run; then open these workflows in Temporal, and terminate one that refuses its messages: " +
		"the reconciler starts it again",
	Counted: true,
	Read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.OverdueActions(ctx, now.Add(-Late))
	},
	Examples: func(ctx context.Context, store *db.Store, now time.Time) (string, error) {
		found, err := store.Reconcile.OverdueSubscriptions(ctx, now.Add(-Late), Named)
		return Names(found, ActionOf), err
	},
}

var overduePayments = Waiting{
	Check: "overdue payments", Noun: "payment", State: ": not sent or not polled in time", Metric: "overdue_payments",
	Text:    "Payments whose send or poll is overdue by more than a minute",
	Alarm:   "payments are overdue: not sent, or not polled; see that workers run and that the provider answers",
	Remedy:  "check that workers run and that the payment provider responds",
	Counted: true,
	Read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.OverduePayments(ctx, now.Add(-Late))
	},
}

var paymentsInReview = Waiting{
	Check: "payments in review", Noun: "payment", Metric: "payments_in_review",
	Text: "Payments that need review",
	Alarm: "payments need review: `perennial payment list` shows them with the reason; " +
		"look each up at its provider, then run `perennial payment resolve`",
	Remedy: "look up each payment at its provider (metadata['txn_id'] is its id), then end its review with " +
		"`perennial payment resolve`; a callback about it, resent from there, makes Perennial poll it too. " +
		"Until then nothing else is collected where one is pending",
	Counted: true,
	Read: func(ctx context.Context, store *db.Store, _ time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.PaymentsInReview(ctx)
	},
	Examples: func(ctx context.Context, store *db.Store, _ time.Time) (string, error) {
		found, err := store.Reconcile.Reviews(ctx, Named)
		return Names(found, func(r db.Review) string {
			return fmt.Sprintf("%s (%s, %s)", r.ID, r.Status, r.Reason)
		}), err
	},
}

var untakenCharges = Waiting{
	Check: "charges not taken", Noun: "charge", Metric: "untaken_charges",
	Text: "Charges due for more than a minute that no provider has taken",
	Alarm: "charges are due and no provider has taken them: " +
		"see that workers run, and that the provider answers and takes our key",
	Remedy: "check that workers run, and the line `payment provider`; " +
		"what waits is sent by itself once the provider answers",
	Read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.UntakenCharges(ctx, now.Add(-Late))
	},
}

// undecidedFor is the time that a provider may take over a payment: prompts end within minutes, card charges within a
// day.
const undecidedFor = 24 * time.Hour

var undecidedPayments = Waiting{
	Check: "undecided payments", Noun: "payment", Metric: "undecided_payments",
	Text: "Payments that were sent more than a day ago and that their provider has not decided",
	Alarm: "payments were sent more than a day ago and their provider has not decided them: " +
		"look each up at the provider; what it decides there is polled",
	Remedy: "look up each payment at its provider, which may wait for a person there; a callback about it, resent from " +
		"there, makes Perennial poll it at once. Cancel a charge that nobody wants with POST /payments/{id}/cancel",
	Read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.UndecidedPayments(ctx, now.Add(-undecidedFor))
	},
}

var refundsOwed = Waiting{
	Check: "refunds owed", Noun: "charge", Metric: "refunds_owed",
	Text: "Charges of which a refund failed, so that money is owed to the payer",
	Alarm: "refunds failed and are owed to payers: " +
		"list them with GET /payments?refundOwed=true, then retry each or return it as credit",
	Remedy: "the app lists them with GET /payments?refundOwed=true; " +
		"then POST /payments/{id}/retry-refund, or /credit-refund to return the amount as credit",
	Read: func(ctx context.Context, store *db.Store, _ time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.RefundsOwed(ctx)
	},
}

var unratedUsage = Waiting{
	Check: "unrated usage", Noun: "draft", Metric: "unrated_usage",
	Text: "Drafts of invoices whose usage could not be rated, and what they bill beside it",
	Alarm: "the usage of drafts cannot be rated, so they are not issued: GET /invoices/{id} says why (usageFailure); " +
		"correct the price, or issue each with POST /invoices/{id}/finalize and withoutUsage",
	Remedy: "GET /invoices/{id} says why (usageFailure), and the log of the workers has the cause; the app corrects the price, " +
		"and POST /invoices/{id}/finalize tries again at once, or with withoutUsage issues it and leaves the usage to the next one",
	Read: func(ctx context.Context, store *db.Store, _ time.Time) ([]db.WaitingMoney, error) {
		return store.Payments.UnratedUsage(ctx)
	},
}

// SumsNamed is the number of sums that one line of the log or one run of the doctor shows; the oldest come first.
const SumsNamed = 10

// Totals adds up the sums.
func Totals(sums []db.WaitingMoney, now time.Time) (count int, age time.Duration) {
	for _, sum := range sums {
		count, age = count+sum.Count, max(age, now.Sub(sum.Oldest))
	}
	return count, age
}
