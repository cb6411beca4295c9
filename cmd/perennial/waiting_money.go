package main

import (
	"context"
	"fmt"
	"time"

	"perennial/db"
)

// waiting is one reason for which money waits, as operators see it.
type waiting struct {
	check         string // of the doctor
	noun          string // what one of them is
	state         string // what is the matter with them, behind their number; empty: the check says it
	alarm, remedy string
	metric, text  string // perennial_ and this: a count, the age of the oldest, amounts by currency
	// counted: the gauges of the backlog have number and age, so that only the amounts are left.
	counted bool
	read    func(context.Context, *db.Store, time.Time) ([]db.WaitingMoney, error)
	// examples names some of them for the doctor; nil: the first ID of each sum does.
	examples func(context.Context, *db.Store, time.Time) (string, error)
}

// idField is the field of the log that names one of them.
func (w waiting) idField() string {
	if w.noun == overdueActions.noun {
		return "subscriptionId"
	}
	return "transactionId"
}

// allWaiting is in the order in which the doctor shows it.
var allWaiting = []waiting{
	overdueActions, overduePayments, paymentsInReview, untakenCharges, undecidedPayments, refundsOwed,
}

var overdueActions = waiting{
	check: "overdue work", noun: "subscription", state: ": the next action is overdue", metric: "overdue_actions",
	text: "What waits for overdue actions of subscriptions: their open invoices, and the price of the period to begin",
	alarm: "subscriptions are overdue: see that workers run; `perennial doctor` names some, and their workflows in Temporal " +
		"say what they wait for",
	remedy: "check that workers run; then open these workflows in Temporal, and terminate one that refuses its messages: " +
		"the reconciler starts it again",
	counted: true,
	read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.OverdueActions(ctx, now.Add(-late))
	},
	examples: func(ctx context.Context, store *db.Store, now time.Time) (string, error) {
		found, err := store.OverdueSubscriptions(ctx, now.Add(-late), named)
		return names(found, actionOf), err
	},
}

var overduePayments = waiting{
	check: "overdue payments", noun: "payment", state: ": not sent or not polled in time", metric: "overdue_payments",
	text:    "Payments whose send or poll is overdue by more than a minute",
	alarm:   "payments are overdue: not sent, or not polled; see that workers run and that the provider answers",
	remedy:  "check that workers run and that the payment provider responds",
	counted: true,
	read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.OverduePayments(ctx, now.Add(-late))
	},
}

var paymentsInReview = waiting{
	check: "payments in review", noun: "payment", metric: "payments_in_review",
	text: "Payments that need review",
	alarm: "payments need review: `perennial payment list` shows them with the reason; " +
		"look each up at its provider, then run `perennial payment resolve`",
	remedy: "look up each payment at its provider (metadata['txn_id'] is its id), then end its review with " +
		"`perennial payment resolve`; a callback about it, resent from there, makes Perennial poll it too. " +
		"Until then nothing else is collected where one is pending",
	counted: true,
	read: func(ctx context.Context, store *db.Store, _ time.Time) ([]db.WaitingMoney, error) {
		return store.PaymentsInReview(ctx)
	},
	examples: func(ctx context.Context, store *db.Store, _ time.Time) (string, error) {
		found, err := store.Reviews(ctx, named)
		return names(found, func(r db.Review) string {
			return fmt.Sprintf("%s (%s, %s)", r.ID, r.Status, r.Reason)
		}), err
	},
}

var untakenCharges = waiting{
	check: "charges not taken", noun: "charge", metric: "untaken_charges",
	text: "Charges due for more than a minute that no provider has taken",
	alarm: "charges are due and no provider has taken them: " +
		"see that workers run, and that the provider answers and takes our key",
	remedy: "check that workers run, and the line `payment provider`; " +
		"what waits is sent by itself once the provider answers",
	read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.UntakenCharges(ctx, now.Add(-late))
	},
}

// undecidedFor is how long a provider may take over a payment: prompts end within minutes, card charges within a day.
const undecidedFor = 24 * time.Hour

var undecidedPayments = waiting{
	check: "undecided payments", noun: "payment", metric: "undecided_payments",
	text: "Payments that were sent more than a day ago and that their provider has not decided",
	alarm: "payments were sent more than a day ago and their provider has not decided them: " +
		"look each up at the provider; what it decides there is polled",
	remedy: "look up each payment at its provider, which may wait for a person there; a callback about it, resent from " +
		"there, makes Perennial poll it at once. Cancel a charge that nobody wants with POST /payments/{id}/cancel",
	read: func(ctx context.Context, store *db.Store, now time.Time) ([]db.WaitingMoney, error) {
		return store.UndecidedPayments(ctx, now.Add(-undecidedFor))
	},
}

var refundsOwed = waiting{
	check: "refunds owed", noun: "charge", metric: "refunds_owed",
	text: "Charges of which a refund failed, so that money is owed to the payer",
	alarm: "refunds failed and are owed to payers: " +
		"list them with GET /payments?refundOwed=true, then retry each or return it as credit",
	remedy: "the app lists them with GET /payments?refundOwed=true; " +
		"then POST /payments/{id}/retry-refund, or /credit-refund to return the amount as credit",
	read: func(ctx context.Context, store *db.Store, _ time.Time) ([]db.WaitingMoney, error) {
		return store.RefundsOwed(ctx)
	},
}
