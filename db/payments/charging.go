package payments

import (
	"context"
	"time"

	"perennial/billing/payment"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/internal/id"
)

// Charging says whether an environment sends new charges.
type Charging struct {
	PausedAt time.Time // zero: it is not paused
	// AccountsRevision rises with every change of the environment's accounts at providers, and with every stop.
	AccountsRevision int64
}

// Charging reads the state of an environment. Fault: environment_not_found.
func (r Reader) Charging(ctx context.Context, environmentID string) (Charging, error) {
	row, err := core.Queries.ChargingGet(ctx, r.Handle, environmentID)
	return Charging{core.Value(row.ChargingPausedAt), row.AccountsRevision}, core.ReadError("environment", err)
}

// SetCharging pauses the charging of an environment, or resumes it where pausedAt is zero, and notes who did it. Hold
// the environment's accounts before: LockProviderConfigs.
func (tx *Tx) SetCharging(ctx context.Context, environmentID string, pausedAt time.Time, changed []string) error {
	err := core.Queries.EnvironmentSetCharging(ctx, tx.Pipe, dbsqlc.EnvironmentSetChargingParams{
		EnvironmentID: environmentID, ChargingPausedAt: core.NullTime(pausedAt),
	})
	if err != nil {
		return err
	}
	return tx.noteEnvironmentChange(ctx, environmentID, changed)
}

func (tx *Tx) noteEnvironmentChange(ctx context.Context, environmentID string, changed []string) error {
	return core.Queries.EnvironmentChangeInsert(ctx, tx.Pipe, dbsqlc.EnvironmentChangeInsertParams{
		ID: id.New(id.EnvironmentChange, tx.Real), EnvironmentID: environmentID, Fields: changed,
		ActorKind: string(tx.By.Kind()), ActorID: tx.By.ID(), ChangedAt: tx.Real,
	})
}

// EnvironmentChange is one change of an environment.
type EnvironmentChange struct {
	Fields    []string
	ActorKind core.ActorKind
	ActorID   string
	ChangedAt time.Time
}

// EnvironmentChanges lists the changes of an environment, oldest first.
func (r Reader) EnvironmentChanges(ctx context.Context, environmentID string) ([]EnvironmentChange, error) {
	found, err := core.Queries.EnvironmentChangeList(ctx, r.Handle, environmentID)
	return core.Map(found, func(f dbsqlc.EnvironmentChangeListRow) EnvironmentChange {
		return EnvironmentChange{f.Fields, core.ActorKind(f.ActorKind), f.ActorID, f.ChangedAt}
	}), core.Translate("EnvironmentChangeList", err)
}

// HeldCharges counts the payments that a charging stop holds, up to BacklogAtMost.
func (r Reader) HeldCharges(ctx context.Context, environmentID string) (int, error) {
	n, err := core.Queries.TransactionCountHeld(ctx, r.Handle,
		dbsqlc.TransactionCountHeldParams{EnvironmentID: environmentID, AtMost: core.BacklogAtMost})
	return n, core.Translate("TransactionCountHeld", err)
}

// HeldTransactions lists payments of an environment that no account could take, the longest waiting first.
func (r Reader) HeldTransactions(ctx context.Context, environmentID string, limit int) ([]TransactionRef, error) {
	found, err := core.Queries.TransactionListHeld(ctx, r.Handle,
		dbsqlc.TransactionListHeldParams{EnvironmentID: environmentID, RowLimit: core.RowLimit(limit)})
	return core.Map(found, func(f dbsqlc.TransactionListHeldRow) TransactionRef {
		return RefOf(dbsqlc.TransactionListOverdueRow(f))
	}), core.Translate("TransactionListHeld", err)
}

// ReleaseHeld makes payments due that no account could take before the accounts of their environment changed, and lists
// them: each once for a change. Global.
func (tx *Tx) ReleaseHeld(ctx context.Context, limit int) ([]TransactionRef, error) {
	found, err := core.Queries.TransactionRelease(ctx, tx.Pipe,
		dbsqlc.TransactionReleaseParams{RowLimit: limit, Now: tx.Real})
	return core.Map(found, ReleasedRef), core.Translate("TransactionRelease", err)
}

// ReleasedRef names a released transaction and its owner.
func ReleasedRef(f dbsqlc.TransactionReleaseRow) TransactionRef {
	return RefOf(dbsqlc.TransactionListOverdueRow{
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
	Held             int // payments of the environment that wait for that, up to core.BacklogAtMost
}

// PausedCharging lists all of them, the longest paused first. Global.
func (r Reader) PausedCharging(ctx context.Context) ([]PausedCharging, error) {
	found, err := core.Queries.ChargingListPaused(ctx, r.Handle, core.BacklogAtMost)
	return core.Map(found, func(f dbsqlc.ChargingListPausedRow) PausedCharging {
		return PausedCharging{
			EnvironmentID: f.EnvironmentID, ProviderConfigID: f.ProviderConfigID, Provider: f.Provider, Tenant: f.Tenant,
			App: f.App, Mode: f.Mode, Since: f.PausedAt, Held: f.Held,
		}
	}), core.Translate("ChargingListPaused", err)
}
