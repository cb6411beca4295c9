package db

import (
	"context"
	"time"

	"perennial/billing/money"
	"perennial/db/internal/dbsqlc"
)

// WaitingMoney is the sum of payments of one environment and currency that wait for the same reason.
type WaitingMoney struct {
	EnvironmentID string
	Tenant, App   string // names
	Mode          string // "test" or "live"
	Currency      money.Currency
	Payments      int // counts stop at BacklogAtMost over all environments
	Amount        money.Minor
	Oldest        time.Time // real: since when the oldest waits
	FirstID       string    // of the one that was created first
}

// waitingAtMost is how many sums are read.
const waitingAtMost = 1000

// UntakenCharges sums the charges due before then that no provider has taken: not sent, refused, or sent without an
// answer. The oldest come first. Global.
func (r Reader) UntakenCharges(ctx context.Context, before time.Time) ([]WaitingMoney, error) {
	found, err := queries.TransactionSumUntaken(ctx, r.handle, dbsqlc.TransactionSumUntakenParams{
		DueBefore: before, AtMost: BacklogAtMost, RowLimit: rows(waitingAtMost),
	})
	return refs(found, func(f dbsqlc.TransactionSumUntakenRow) WaitingMoney {
		return WaitingMoney{
			EnvironmentID: f.EnvironmentID, Tenant: f.Tenant, App: f.App, Mode: f.Mode, Currency: f.Currency,
			Payments: f.Payments, Amount: money.Minor(f.Amount), Oldest: f.Oldest, FirstID: f.FirstID,
		}
	}), translate("TransactionSumUntaken", err)
}

// RefundsOwed sums what is owed to payers because refunds of their charges failed. The oldest come first. Global.
func (r Reader) RefundsOwed(ctx context.Context) ([]WaitingMoney, error) {
	found, err := queries.TransactionSumRefundOwed(ctx, r.handle, dbsqlc.TransactionSumRefundOwedParams{
		AtMost: BacklogAtMost, RowLimit: rows(waitingAtMost),
	})
	return refs(found, func(f dbsqlc.TransactionSumRefundOwedRow) WaitingMoney {
		return WaitingMoney{
			EnvironmentID: f.EnvironmentID, Tenant: f.Tenant, App: f.App, Mode: f.Mode, Currency: f.Currency,
			Payments: f.Payments, Amount: money.Minor(f.Amount), Oldest: f.Oldest, FirstID: f.FirstID,
		}
	}), translate("TransactionSumRefundOwed", err)
}
