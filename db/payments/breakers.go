package payments

import (
	"context"
	"slices"
	"time"

	"perennial/billing/routing"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// OpenBreaker is an account that gets no payments, because it takes none.
type OpenBreaker struct {
	EnvironmentID, Mode, ProviderConfigID, Provider string
	routing.Breaker
}

// OpenBreakers lists the open breakers of all environments, the longest open first. Global.
func (r Reader) OpenBreakers(ctx context.Context, limit int) ([]OpenBreaker, error) {
	found, err := core.Queries.BreakerListOpen(ctx, r.Handle, core.RowLimit(limit))
	return core.Map(found, func(f dbsqlc.BreakerListOpenRow) OpenBreaker {
		return OpenBreaker{
			f.EnvironmentID, f.Mode, f.ProviderConfigID, f.Provider,
			breakerOf(f.Failures, f.FailingSince, &f.OpenedAt, f.ProbeAt),
		}
	}), core.Translate("BreakerListOpen", err)
}

// LockBreaker reads the breaker of an account, which stays as it is until the transaction ends.
func (tx *Tx) LockBreaker(ctx context.Context, environmentID, configID string) (routing.Breaker, error) {
	row, err := core.Queries.BreakerLock(ctx, tx.Pipe, dbsqlc.BreakerLockParams{
		EnvironmentID: environmentID, ProviderConfigID: configID,
	})
	b := breakerOf(row.Failures, row.FailingSince, row.OpenedAt, row.ProbeAt)
	b.SilentSince, b.RecoveredAt = core.Value(row.SilentSince), core.Value(row.RecoveredAt)
	copy(b.FailedBy[:], row.FailedBy)
	return b, core.Translate("BreakerLock", err)
}

// SaveBreaker writes a breaker; lock it before, unless it is to be closed whatever happened meanwhile.
func (tx *Tx) SaveBreaker(ctx context.Context, environmentID, configID string, b routing.Breaker) error {
	known := slices.Index(b.FailedBy[:], "")
	if known < 0 {
		known = len(b.FailedBy)
	}
	return core.Queries.BreakerUpdate(ctx, tx.Pipe, dbsqlc.BreakerUpdateParams{
		EnvironmentID: environmentID, ProviderConfigID: configID, Failures: b.Failures,
		FailingSince: core.NullTime(b.FailingSince), OpenedAt: core.NullTime(b.OpenedAt), ProbeAt: core.NullTime(b.ProbeAt),
		SilentSince: core.NullTime(b.SilentSince), RecoveredAt: core.NullTime(b.RecoveredAt),
		FailedBy: b.FailedBy[:known],
	})
}

// ClaimProbe reports whether the caller's payment becomes the probe of an account with an open breaker.
func (tx *Tx) ClaimProbe(ctx context.Context, environmentID, configID string, now time.Time) (bool, error) {
	ids, err := core.Queries.BreakerClaimProbe(ctx, tx.Pipe, dbsqlc.BreakerClaimProbeParams{
		EnvironmentID: environmentID, ProviderConfigID: configID, Now: now, NextProbeAt: now.Add(routing.Cooldown),
	})
	return len(ids) > 0, core.Translate("BreakerClaimProbe", err)
}

func breakerOf(failures int, since, opened, probe *time.Time) routing.Breaker {
	return routing.Breaker{
		Failures: failures, FailingSince: core.Value(since), OpenedAt: core.Value(opened), ProbeAt: core.Value(probe),
	}
}
