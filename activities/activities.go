// Package activities owns atomicity: each activity is one database transaction, or one provider call between two. It
// loads the rows, lets the rules in billing decide, and writes the result. It does not own the time and order of
// activities (workflows) nor SQL (db).
package activities

import (
	"context"
	"time"

	"perennial/activities/charging"
	"perennial/activities/delivery"
	"perennial/activities/execution"
	"perennial/activities/mailing"
	"perennial/activities/pacing"
	"perennial/activities/rating"
	"perennial/activities/reconcile"
	"perennial/contract"
	"perennial/db"
	"perennial/providers"
)

// Observer receives what no result of an activity shows.
type Observer interface {
	charging.Observer
	rating.Observer
}

// Config has the dependencies and bounds of the activities.
type Config struct {
	Store    *db.Store // its dispatcher receives the effects of each commit
	Clock    execution.Clock
	Gateway  charging.Gateway
	Engine   reconcile.Waker
	Observer Observer // optional
	// Reconciled receives the result of each pass; optional.
	Reconciled func(contract.ReconcileResult)
	// Factories are Payments.Factories.
	Factories providers.Registry
	// AccountSlots bounds the exchanges in flight with one provider account, ProviderSlots those with all accounts of
	// one provider; zero AccountSlots: neither is bounded.
	AccountSlots, ProviderSlots int
	// ReconcileRate is Reconciler.Rate.
	ReconcileRate int
	// AbsenceGap is Payments.AbsenceGap.
	AbsenceGap time.Duration
	// PublicURL and ConfirmWithin are Payments'.
	PublicURL     string
	ConfirmWithin time.Duration
	// ClockPatience limits the wait of a test clock's step for a pending payment, in real time; zero: 10 s.
	ClockPatience time.Duration
	// Deliveries sends webhooks. Its store has a pool of its own.
	Deliveries *delivery.Deliveries
	// Mails sends mails; nil: this process does not.
	Mails *mailing.Mails
}

// Set is all activities of a worker process.
type Set struct {
	Subscriptions *Subscriptions
	Usage         *rating.Usage
	Payments      *charging.Payments
	Clocks        *Clocks
	Reconciler    *reconcile.Reconciler
	Deliveries    *delivery.Deliveries
	Mails         *mailing.Mails
	Erasures      *Erasures

	store *db.Store
	clock execution.Clock
}

// New makes the activities.
func New(c Config) Set {
	if c.Observer == nil {
		c.Observer = unobserved{}
	}
	payments := &charging.Payments{
		Store: c.Store, Clock: c.Clock, Gateway: c.Gateway, Observer: c.Observer, AbsenceGap: c.AbsenceGap,
		Factories: c.Factories, Slots: pacing.NewSlots(c.AccountSlots, c.ProviderSlots),
		PublicURL: c.PublicURL, ConfirmWithin: c.ConfirmWithin,
		Pacing: &pacing.Pacer{
			Workers: func(ctx context.Context) (int, error) { return c.Store.Reconcile.Workers(ctx) }, Clock: c.Clock,
			Sleepers: (c.ProviderSlots + 7) / 8,
		},
	}
	usage := &rating.Usage{Store: c.Store, Clock: c.Clock, Observer: c.Observer}
	return Set{
		Subscriptions: &Subscriptions{Store: c.Store, Clock: c.Clock, Observer: c.Observer},
		Usage:         usage,
		Payments:      payments,
		Clocks: &Clocks{
			Store: c.Store, Clock: c.Clock, Usage: usage, Observer: c.Observer, Patience: c.ClockPatience,
		},
		Reconciler: &reconcile.Reconciler{Store: c.Store, Clock: c.Clock, Waker: c.Engine, Report: c.Reconciled,
			Rate: c.ReconcileRate, RemoveMethod: payments.RemoveMethod},
		Erasures:   &Erasures{Store: c.Store, Clock: c.Clock, Observer: c.Observer},
		Deliveries: c.Deliveries,
		Mails:      c.Mails,
		store:      c.Store, clock: c.Clock,
	}
}

// NewEpoch begins a new life of Temporal's database: whatever was started before is started again.
func (s Set) NewEpoch(ctx context.Context) (epoch int64, err error) {
	err = s.store.InTx(ctx, db.BySystem("bootstrap"), s.clock(), func(tx *db.Tx) error {
		epoch, err = tx.Reconcile.IncrementEpoch(ctx)
		return err
	})
	return epoch, err
}

type unobserved struct{}

func (unobserved) ProviderCalled(context.Context, string, string, string, time.Duration) {}

func (unobserved) PaymentEnded(context.Context, charging.Ended) {}

func (unobserved) ReviewNeeded(context.Context, charging.ReviewNeeded) {}

func (unobserved) CredentialsRefused(context.Context, charging.CredentialsRefused) {}

func (unobserved) ProviderSilent(context.Context, charging.ProviderSilent) {}

func (unobserved) UsageUnrated(context.Context, rating.Unrated) {}

func (unobserved) RowAbsent(context.Context, execution.RowAbsent) {}
