// Package scene is the stage of tests of activities and workflows: one environment on a separate PostgreSQL database,
// with the real activities and a provider that follows a script and keeps a ledger. It does not own a test's
// expectations, except for invariants (RequireSound).
package scene

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/activities"
	"perennial/activities/charging"
	"perennial/activities/rating"
	"perennial/billing/account"
	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit/rule"
	"perennial/providers"
	"perennial/test/testdb"
)

// Start is the time at which every scene begins: midnight in the middle of a month, so that a period has 31 days and no
// edge.
var Start = time.Date(2026, 1, 15, 0, 0, 0, 0, time.UTC)

// Scene is one environment. Clock is real time for everything in it.
type Scene struct {
	Store    *db.Store
	Worker   *db.Store // the same, with the rights of a worker
	Pool     *pgxpool.Pool
	Env      string
	Config   db.ProviderConfig
	Provider *Provider
	Clock    *Clock
	Started  *Effects

	Subscriptions *activities.Subscriptions
	Usage         *rating.Usage
	Payments      *charging.Payments

	providers []*Provider
}

// Option changes the environment's settings.
type Option func(*subscription.Settings)

// Accrue bills every period of a past-due subscription.
func Accrue(s *subscription.Settings) { s.PastDueBilling = subscription.AccruePastDue }

// CancelPastDueAfter cancels a past-due subscription after days.
func CancelPastDueAfter(days int) Option {
	return func(s *subscription.Settings) { s.Dunning.CancelAfter(days) }
}

// New sets a scene. Retries come after exactly 1, 2 and 4 days.
func New(t testing.TB, options ...Option) *Scene {
	t.Helper()
	clock := &Clock{now: Start}
	database := testdb.Migrated(t)
	store, worker := testdb.Open(t, database, "", 8, clock.Now), testdb.Open(t, database, db.RoleWorker, 8, clock.Now)
	effects := &Effects{}
	store, worker = store.With(effects), worker.With(effects)

	settings := subscription.Settings{TimeZone: "UTC", Dunning: dunning.Default(),
		PastDueBilling:      subscription.SkipPastDue,
		RenewalReminderDays: 1}
	settings.Dunning.Retry.MaxJitter = 0
	for _, o := range options {
		o(&settings)
	}
	s := &Scene{Store: store, Worker: worker, Pool: database.Pool(t), Env: id.New(id.Environment, Start), Clock: clock,
		Started: effects,
	}
	s.Provider = s.NewProvider()
	rule.Watch(t, s.takenTwice)
	s.Config = db.ProviderConfig{
		ID: id.New(id.ProviderConfig, Start), EnvironmentID: s.Env, Provider: "stripe",
		Account:     account.Account{Primary: true},
		Credentials: []db.SealedCredentials{{Version: 1, Fields: []string{"secretKey"}, Sealed: []byte("sealed")}},
	}
	tenant, app := id.New(id.Tenant, Start), id.New(id.App, Start)
	s.InTx(t, func(tx *db.Tx) error {
		ctx := t.Context()
		for _, write := range []func() error{
			func() error { return tx.Tenancy.InsertTenant(ctx, db.Tenant{ID: tenant, Name: "T", CreatedAt: Start}) },
			func() error {
				return tx.Tenancy.InsertApp(ctx, db.App{ID: app, TenantID: tenant, Name: "A", Keyset: []byte("wrapped"),
					CreatedAt: Start})
			},
			func() error {
				return tx.Tenancy.InsertEnvironment(ctx, db.Environment{
					ID: s.Env, AppID: app, Mode: "test", Settings: settings, CreatedAt: Start,
				})
			},
			func() error { return tx.Payments.InsertProviderConfig(ctx, s.Env, s.Config) },
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	})
	s.Subscriptions = &activities.Subscriptions{Store: worker, Clock: clock.Now, Observer: Unobserved{}}
	s.Usage = &rating.Usage{Store: worker, Clock: clock.Now, Observer: Unobserved{}}
	s.Payments = &charging.Payments{Store: worker, Clock: clock.Now, Gateway: Gateway{s.Provider}, Observer: Unobserved{}}
	return s
}

// NewProvider returns a provider that captures everything. A test that fails and had money taken twice is not repeated.
func (s *Scene) NewProvider() *Provider {
	p := newProvider(s.Clock.Now)
	s.providers = append(s.providers, p)
	return p
}

// Gateway makes one provider an charging.Gateway.
type Gateway struct{ Only providers.Provider }

// Provider implements charging.Gateway.
func (g Gateway) Provider(context.Context, db.ProviderConfig) (providers.Provider, error) {
	return g.Only, nil
}

// InTx writes the rows of a test.
func (s *Scene) InTx(t testing.TB, fn func(*db.Tx) error) {
	t.Helper()
	require.NoError(t, s.Store.InTx(t.Context(), db.BySystem("test"), s.Clock.Now(), fn))
}

// Monthly is a plan without a trial that costs amount cents a month.
func Monthly(amount money.Minor) plan.Plan { return Every(period.Month, amount) }

// Every is a plan without a trial that costs amount cents a unit of time.
func Every(unit period.Unit, amount money.Minor) plan.Plan {
	return plan.Plan{
		ID: id.New(id.Plan, Start), Name: "Plan", Currency: "EUR", Interval: period.Interval{Unit: unit, Count: 1},
		Prices: []plan.Price{plan.Flat(id.New(id.Price, Start), "Base", amount)}, Active: true,
		CreatedAt: Start,
	}
}

// Plan offers p.
func (s *Scene) Plan(t testing.TB, p plan.Plan) plan.Plan {
	t.Helper()
	s.InTx(t, func(tx *db.Tx) error { return tx.Catalog.InsertPlan(t.Context(), s.Env, p) })
	return p
}

// Card is a payment method that can be charged.
var Card = customer.PaymentDetails{CustomerToken: "cus_canary", PaymentMethodToken: "pm_canary"}

// Wallet is one whose owner confirms each payment.
var Wallet = customer.PaymentDetails{PhoneNumber: "+237670000001"}

// Customer adds one who pays by card; clockID is empty for one in real time.
func (s *Scene) Customer(t testing.TB, clockID string) customer.Customer {
	t.Helper()
	c := customer.Customer{
		ID: id.New(id.Customer, s.Clock.Now()), Email: "canary@example.com", Name: "Canary Person", PaymentMethod: "card",
		PaymentDetails: Card, TestClockID: clockID, CreatedAt: s.Clock.Now(), Revision: 1,
	}
	c.PaymentMethodID = c.FirstMethodID()
	s.InTx(t, func(tx *db.Tx) error { return tx.Customers.Insert(t.Context(), s.Env, c) })
	return c
}

// SetMethod gives the customer another way to pay, or none, as the API does; it answers the subscriptions to wake.
func (s *Scene) SetMethod(t testing.TB, customerID string, details *customer.PaymentDetails) []string {
	t.Helper()
	var ids []string
	s.InTx(t, func(tx *db.Tx) error {
		c, err := tx.Customers.Lock(t.Context(), s.Env, customerID)
		if err != nil {
			return err
		}
		c.PaymentMethod, c.PaymentDetails = "", customer.PaymentDetails{}
		if details != nil {
			c.PaymentMethod, c.PaymentDetails = "card", *details
			if details.PhoneNumber != "" {
				c.PaymentMethod = customer.MobileMoney + "mtn"
			}
		}
		if err := tx.Customers.Save(t.Context(), s.Env, c); err != nil {
			return err
		}
		ids, err = tx.Subscriptions.MarkMethodChanged(t.Context(), s.Env, customerID)
		return err
	})
	return ids
}

// Subscribe creates a subscription as the API does; its workflow is not started.
func (s *Scene) Subscribe(t testing.TB, c customer.Customer, p plan.Plan) contract.Ref {
	t.Helper()
	return s.SubscribeAt(t, c, p, s.Clock.Now())
}

// SubscribeAt is Subscribe at another time than now.
func (s *Scene) SubscribeAt(t testing.TB, c customer.Customer, p plan.Plan, at time.Time) contract.Ref {
	t.Helper()
	sub, events, err := subscribing.Create(p, subscribing.NewInput{
		ID: id.New(id.Subscription, s.Clock.Now()), CustomerID: c.ID, TimeZone: "UTC", TestClockID: c.TestClockID, Now: at,
	})
	require.NoError(t, err)
	s.InTx(t, func(tx *db.Tx) error {
		if err := tx.Subscriptions.Insert(t.Context(), s.Env, sub); err != nil {
			return err
		}
		for _, e := range events {
			if err := tx.Emit(t.Context(), s.Env, e); err != nil {
				return err
			}
		}
		return nil
	})
	return contract.Ref{EnvironmentID: s.Env, ID: sub.ID}
}
