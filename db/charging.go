package db

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Charging is whether an environment sends new charges.
type Charging struct {
	PausedAt time.Time // zero: it is not paused
	// AccountsRevision rises with every change of the environment's accounts at providers, and with every stop.
	AccountsRevision int64
}

// Charging reads that of an environment. Fault: environment_not_found.
func (r Reader) Charging(ctx context.Context, environmentID string) (Charging, error) {
	row, err := queries.ChargingGet(ctx, r.handle, environmentID)
	return Charging{value(row.ChargingPausedAt), row.AccountsRevision}, readError("environment", err)
}

// SetCharging pauses the charging of an environment, or resumes it where pausedAt is zero, and notes who did it. Hold the
// environment's accounts before: LockProviderConfigs.
func (tx *Tx) SetCharging(ctx context.Context, environmentID string, pausedAt time.Time, changed []string) error {
	err := queries.EnvironmentSetCharging(ctx, tx.pipe, dbsqlc.EnvironmentSetChargingParams{
		EnvironmentID: environmentID, ChargingPausedAt: nullTime(pausedAt),
	})
	if err != nil {
		return err
	}
	return tx.noteEnvironmentChange(ctx, environmentID, changed)
}

func (tx *Tx) noteEnvironmentChange(ctx context.Context, environmentID string, changed []string) error {
	return queries.EnvironmentChangeInsert(ctx, tx.pipe, dbsqlc.EnvironmentChangeInsertParams{
		ID: id.New(id.EnvironmentChange, tx.Real), EnvironmentID: environmentID, Fields: changed,
		ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(), ChangedAt: tx.Real,
	})
}

// EnvironmentChange is one change of an environment.
type EnvironmentChange struct {
	Fields    []string
	ActorKind ActorKind
	ActorID   string
	ChangedAt time.Time
}

// EnvironmentChanges lists those of an environment, oldest first.
func (r Reader) EnvironmentChanges(ctx context.Context, environmentID string) ([]EnvironmentChange, error) {
	found, err := queries.EnvironmentChangeList(ctx, r.handle, environmentID)
	return refs(found, func(f dbsqlc.EnvironmentChangeListRow) EnvironmentChange {
		return EnvironmentChange{f.Fields, ActorKind(f.ActorKind), f.ActorID, f.ChangedAt}
	}), translate("EnvironmentChangeList", err)
}

// HeldCharges counts the payments that a charging stop holds, up to BacklogAtMost.
func (r Reader) HeldCharges(ctx context.Context, environmentID string) (int, error) {
	n, err := queries.TransactionCountHeld(ctx, r.handle,
		dbsqlc.TransactionCountHeldParams{EnvironmentID: environmentID, AtMost: BacklogAtMost})
	return n, translate("TransactionCountHeld", err)
}

// HeldTransactions lists payments of an environment that no account could take, those that have waited longest first.
func (r Reader) HeldTransactions(ctx context.Context, environmentID string, limit int) ([]TransactionRef, error) {
	found, err := queries.TransactionListHeld(ctx, r.handle,
		dbsqlc.TransactionListHeldParams{EnvironmentID: environmentID, RowLimit: rowLimit(limit)})
	return refs(found, func(f dbsqlc.TransactionListHeldRow) TransactionRef {
		return transactionRef(dbsqlc.TransactionListOverdueRow(f))
	}), translate("TransactionListHeld", err)
}

// ReleaseHeld makes payments due that no account could take before the accounts of their environment changed, and lists
// them: each once for a change. Global.
func (tx *Tx) ReleaseHeld(ctx context.Context, limit int) ([]TransactionRef, error) {
	found, err := queries.TransactionRelease(ctx, tx.pipe,
		dbsqlc.TransactionReleaseParams{RowLimit: limit, Now: tx.Real})
	return refs(found, releasedRef), translate("TransactionRelease", err)
}

func releasedRef(f dbsqlc.TransactionReleaseRow) TransactionRef {
	return transactionRef(dbsqlc.TransactionListOverdueRow{
		EnvironmentID: f.EnvironmentID, ID: f.ID, Type: payment.Type(f.Type), SubscriptionID: f.SubscriptionID,
		FinishedAt: f.FinishedAt,
	})
}

// PausedCharging is an environment, or one of its accounts, that sends no new charges.
type PausedCharging struct {
	EnvironmentID    string
	ProviderConfigID string // empty: the whole environment
	Provider         string
	Tenant, App      string // names
	Mode             string // "test" or "live"
	Since            time.Time
	Held             int // payments of the environment that wait for that, up to BacklogAtMost
}

// PausedCharging lists all of them, the longest paused first. Global.
func (r Reader) PausedCharging(ctx context.Context) ([]PausedCharging, error) {
	found, err := queries.ChargingListPaused(ctx, r.handle, BacklogAtMost)
	return refs(found, func(f dbsqlc.ChargingListPausedRow) PausedCharging {
		return PausedCharging{
			EnvironmentID: f.EnvironmentID, ProviderConfigID: f.ProviderConfigID, Provider: f.Provider, Tenant: f.Tenant,
			App: f.App, Mode: f.Mode, Since: f.PausedAt, Held: f.Held,
		}
	}), translate("ChargingListPaused", err)
}
