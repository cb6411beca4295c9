package payments

import (
	"context"
	"time"

	"perennial/billing/event"
	"perennial/db"
	"perennial/service/usecase"
)

// wokenAtOnce is the number of held payments that the end of a charging stop wakes directly. The reconciler wakes the
// others at its pace, so that thousands of them do not overload the workers.
const wokenAtOnce = 100

// Charging says whether an environment sends new charges.
type Charging struct {
	PausedAt time.Time // zero: it is not paused
	// payments that a charging stop holds, of the environment or of its accounts; up to db.BacklogAtMost
	Held int
}

// Charging reads the state of an environment. Fault: environment_not_found.
func (s *Service) Charging(ctx context.Context, environmentID string) (Charging, error) {
	return chargingOf(ctx, s.Store.Reader, environmentID)
}

func chargingOf(ctx context.Context, r db.Reader, environmentID string) (Charging, error) {
	c, err := r.Payments.Charging(ctx, environmentID)
	if err != nil {
		return Charging{}, err
	}
	held, err := r.Payments.HeldCharges(ctx, environmentID)
	return Charging{c.PausedAt, held}, err
}

// PauseCharging holds the new charges of an environment. Charges that were sent continue. No effect where it is paused.
// Fault: environment_not_found.
func (s *Service) PauseCharging(ctx context.Context, by usecase.Caller, around usecase.Around[Charging]) error {
	return s.setCharging(ctx, by, around, true)
}

// ResumeCharging sends the charges of an environment again, those first that were held. No effect where it is not
// paused. Fault: environment_not_found.
func (s *Service) ResumeCharging(ctx context.Context, by usecase.Caller, around usecase.Around[Charging]) error {
	return s.setCharging(ctx, by, around, false)
}

func (s *Service) setCharging(
	ctx context.Context, by usecase.Caller, around usecase.Around[Charging], pause bool,
) error {
	return around.Transact(ctx, s.Base, by, func(tx *db.Tx) (out Charging, err error) {
		if _, _, err := tx.Payments.LockProviderConfigs(ctx, by.EnvironmentID); err != nil {
			return out, err
		}
		if out, err = chargingOf(ctx, tx.Reader, by.EnvironmentID); err != nil || pause == !out.PausedAt.IsZero() {
			return out, err
		}
		was := out.PausedAt
		defer func() { auditCharging(tx, was, out.PausedAt) }()
		if pause {
			out.PausedAt = tx.Real
			said := event.ChargingPaused{ID: by.EnvironmentID, By: actorOf(tx)}
			if err := tx.Emit(ctx, by.EnvironmentID, event.New(said, tx.Real)); err != nil {
				return out, err
			}
			return out, tx.Payments.SetCharging(ctx, by.EnvironmentID, out.PausedAt, []string{"chargingPaused"})
		}
		out.PausedAt = time.Time{}
		said := event.ChargingResumed{ID: by.EnvironmentID, By: actorOf(tx)}
		if err := tx.Emit(ctx, by.EnvironmentID, event.New(said, tx.Real)); err != nil {
			return out, err
		}
		if err := tx.Payments.SetCharging(ctx, by.EnvironmentID, out.PausedAt, []string{"chargingResumed"}); err != nil {
			return out, err
		}
		return out, wakeHeld(ctx, tx, by.EnvironmentID)
	})
}

// auditCharging adds to the audit log whether charging is paused, and was.
func auditCharging(tx *db.Tx, was, is time.Time) {
	type charging struct{ ChargingPausedAt time.Time }
	usecase.AuditDiffering(tx, "environment", charging{was}, charging{is})
}

// PauseProvider holds new charges of an account. Charges that were sent continue. No effect where it is paused. Fault:
// provider_config_not_found.
func (s *Service) PauseProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
) error {
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			if !c.PauseCharging(p.tx.Real) {
				return c, nil, nil
			}
			said := event.ProviderChargingPaused{
				ProviderConfig: event.ProviderConfig{ID: c.ID, Provider: c.Provider}, By: actorOf(p.tx),
			}
			return c, []string{"chargingPaused"}, p.tx.Emit(ctx, by.EnvironmentID, event.New(said, p.tx.Real))
		})
}

// ResumeProvider sends charges through an account again. No effect where it is not paused. Fault:
// provider_config_not_found.
func (s *Service) ResumeProvider(
	ctx context.Context, by usecase.Caller, configID string, around usecase.Around[db.ProviderConfig],
) error {
	return s.onProvider(ctx, by, configID, around,
		func(p administration, c db.ProviderConfig) (db.ProviderConfig, []string, error) {
			if !c.ResumeCharging() {
				return c, nil, nil
			}
			said := event.ProviderChargingResumed{
				ProviderConfig: event.ProviderConfig{ID: c.ID, Provider: c.Provider}, By: actorOf(p.tx),
			}
			if err := p.tx.Emit(ctx, by.EnvironmentID, event.New(said, p.tx.Real)); err != nil {
				return c, nil, err
			}
			return c, []string{"chargingResumed"}, wakeHeld(ctx, p.tx, by.EnvironmentID)
		})
}

// wakeHeld wakes the payments that have been held longest, after the commit.
func wakeHeld(ctx context.Context, tx *db.Tx, environmentID string) error {
	held, err := tx.Payments.HeldTransactions(ctx, environmentID, wokenAtOnce)
	for _, t := range held {
		tx.AfterCommit(db.CheckTransaction{EnvironmentID: environmentID, ID: t.ID, SubscriptionID: t.SubscriptionID})
	}
	return err
}

// actorOf returns the writer, for an event. The names of people stay in the tables of changes.
func actorOf(tx *db.Tx) event.Actor {
	actor := event.Actor{Kind: string(tx.By.Kind())}
	if tx.By.Kind() == db.ActorKey {
		actor.ID = tx.By.ID()
	}
	return actor
}
