package payments

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// WaitingMoney is the sum of payments, or subscriptions, of one environment and currency that wait for the same reason.
type WaitingMoney struct {
	EnvironmentID string
	Tenant, App   string // names
	Mode          string // "test" or "live"
	Currency      money.Currency
	Count         int // counts stop at BacklogAtMost over all environments
	Amount        money.Minor
	Oldest        time.Time // real: since when the oldest waits
	FirstID       string    // of the one created first
}

// waitingAtMost bounds the sums that are read.
const waitingAtMost = 1000

// UntakenCharges sums the charges due before then that no provider has taken: not sent, refused, or sent without an
// answer. The oldest come first. Global.
func (r Reader) UntakenCharges(ctx context.Context, before time.Time) ([]WaitingMoney, error) {
	found, err := core.Queries.TransactionSumUntaken(ctx, r.Handle, dbsqlc.TransactionSumUntakenParams{
		DueBefore: before, AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, waitingMoney), core.Translate("TransactionSumUntaken", err)
}

// UndecidedPayments sums the payments that were sent before a time and that their provider has not decided, whatever it
// answers; including those whose payer was asked to confirm, where the payer's time ended before that, too. The oldest
// come first. Global.
func (r Reader) UndecidedPayments(ctx context.Context, before time.Time) ([]WaitingMoney, error) {
	found, err := core.Queries.TransactionSumUndecided(ctx, r.Handle, dbsqlc.TransactionSumUndecidedParams{
		SentBefore: before, AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, func(f dbsqlc.TransactionSumUndecidedRow) WaitingMoney {
		return waitingMoney(dbsqlc.TransactionSumUntakenRow(f))
	}), core.Translate("TransactionSumUndecided", err)
}

// RefundsOwed sums the debts to payers of failed refunds. The oldest come first. Global.
func (r Reader) RefundsOwed(ctx context.Context) ([]WaitingMoney, error) {
	found, err := core.Queries.TransactionSumRefundOwed(ctx, r.Handle, dbsqlc.TransactionSumRefundOwedParams{
		AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, func(f dbsqlc.TransactionSumRefundOwedRow) WaitingMoney {
		return waitingMoney(dbsqlc.TransactionSumUntakenRow(f))
	}), core.Translate("TransactionSumRefundOwed", err)
}

// UnratedUsage sums the other lines of drafts of subscriptions in real time whose usage could not be rated. The oldest
// come first. Global.
func (r Reader) UnratedUsage(ctx context.Context) ([]WaitingMoney, error) {
	found, err := core.Queries.InvoiceSumUnrated(ctx, r.Handle, dbsqlc.InvoiceSumUnratedParams{
		AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, func(f dbsqlc.InvoiceSumUnratedRow) WaitingMoney {
		return waitingMoney(dbsqlc.TransactionSumUntakenRow(f))
	}), core.Translate("InvoiceSumUnrated", err)
}

// OverdueActions sums the subscriptions in real time whose next action was due before a time. The amount is the money
// that waits for that action, as far as it is known: their open invoices, and the price of the period that is to begin.
// The oldest come first. Global.
func (r Reader) OverdueActions(ctx context.Context, before time.Time) ([]WaitingMoney, error) {
	found, err := core.Queries.SubscriptionSumOverdue(ctx, r.Handle, dbsqlc.SubscriptionSumOverdueParams{
		DueBefore: &before, AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, func(f dbsqlc.SubscriptionSumOverdueRow) WaitingMoney {
		return waitingMoney(dbsqlc.TransactionSumUntakenRow(f))
	}), core.Translate("SubscriptionSumOverdue", err)
}

// OverduePayments sums the payments whose send, or next look-up at the provider, was due before then.
// The oldest come first. Global.
func (r Reader) OverduePayments(ctx context.Context, before time.Time) ([]WaitingMoney, error) {
	found, err := core.Queries.TransactionSumOverdue(ctx, r.Handle, dbsqlc.TransactionSumOverdueParams{
		DueBefore: &before, AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, func(f dbsqlc.TransactionSumOverdueRow) WaitingMoney {
		return waitingMoney(dbsqlc.TransactionSumUntakenRow(f))
	}), core.Translate("TransactionSumOverdue", err)
}

// PaymentsInReview sums the payments that need review. The oldest come first. Global.
func (r Reader) PaymentsInReview(ctx context.Context) ([]WaitingMoney, error) {
	found, err := core.Queries.TransactionSumForReview(ctx, r.Handle, dbsqlc.TransactionSumForReviewParams{
		AtMost: core.BacklogAtMost, RowLimit: core.RowLimit(waitingAtMost),
	})
	return core.Map(found, func(f dbsqlc.TransactionSumForReviewRow) WaitingMoney {
		return waitingMoney(dbsqlc.TransactionSumUntakenRow(f))
	}), core.Translate("TransactionSumForReview", err)
}

// waitingMoney takes the row that all these sums have in common.
func waitingMoney(f dbsqlc.TransactionSumUntakenRow) WaitingMoney {
	return WaitingMoney{
		EnvironmentID: f.EnvironmentID, Tenant: f.Tenant, App: f.App, Mode: f.Mode, Currency: f.Currency,
		Count: f.Waiting, Amount: money.Minor(f.Amount), Oldest: f.Oldest, FirstID: f.FirstID,
	}
}
