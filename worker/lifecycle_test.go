package worker_test

import (
	"cmp"
	"context"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"perennial/activities"
	"perennial/billing/account"
	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/lifecycle"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/testclock"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
	"perennial/internal/vault"
	"perennial/providers/simulator/core"
	"perennial/providers/simulator/stripesim"
	"perennial/service/clocks"
	"perennial/service/dispatch"
	"perennial/service/engine"
	"perennial/service/gateway"
	"perennial/service/usecase"
	"perennial/test/testdb"
	"perennial/worker"
)

// rig is a whole engine on real parts: PostgreSQL, Temporal, the simulator and a worker.
type rig struct {
	store  *db.Store
	engine *engine.Engine
	sim    *core.Server
	env    string
	plan   plan.Plan
	pricey plan.Plan
}

func newRig(t *testing.T) *rig {
	t.Helper()
	ctx, clock := t.Context(), time.Now
	store, err := db.Open(ctx, db.Config{URL: testdb.Migrated(t).URL, MaxConns: 8, Clock: clock})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	sim, err := core.New(core.Config{LedgerPath: filepath.Join(t.TempDir(), "ledger"), Now: clock},
		stripesim.New(stripesim.Config{}))
	require.NoError(t, err)
	web := httptest.NewServer(sim.Handler())
	t.Cleanup(func() { web.Close(); _ = sim.Close() })

	keys, err := vault.New(vault.NewKEK())
	require.NoError(t, err)
	namespace := testkit.Temporal(t)
	c := namespace.Client(t)
	following := dispatch.New(dispatch.Config{Store: store, Engine: engine.New(c), Now: clock, Log: zap.NewNop()})
	t.Cleanup(following.Close)
	store = store.With(following)
	w, err := worker.New(worker.Config{
		Client: c, Namespace: namespace.Name,
		Activities: activities.New(activities.Config{
			Store: store, Clock: clock, Engine: engine.New(c),
			Gateway: gateway.New(gateway.Config{Vault: keys, BaseURLs: map[string]string{"stripe": web.URL},
				Timeout: 5 * time.Second}),
		}),
	})
	require.NoError(t, err)
	running, stop := context.WithCancel(ctx)
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- w.Run(running, func() { close(ready) }) }()
	t.Cleanup(func() { stop(); require.NoError(t, <-done) })
	select {
	case <-ready:
	case <-time.After(wait.Patience):
		t.Fatal("the worker does not become ready")
	}
	r := &rig{store: store, engine: engine.New(c), sim: sim, env: id.New(id.Environment, clock())}
	r.provision(t, keys)
	return r
}

func (r *rig) provision(t *testing.T, keys *vault.Vault) {
	t.Helper()
	now := time.Now()
	app, tenant, config := id.New(id.App, now), id.New(id.Tenant, now), id.New(id.ProviderConfig, now)
	keyset, err := keys.NewAppKeyset(app)
	require.NoError(t, err)
	configured := db.ProviderConfig{
		ID: config, AppID: app, Keyset: keyset, Provider: "stripe", Account: account.Account{Primary: true},
	}
	sealed, err := gateway.Seal(keys, configured, 1, gateway.Credentials{"secretKey": "sk_test_simulator"})
	require.NoError(t, err)
	configured.Credentials = []db.SealedCredentials{sealed}
	month := period.Interval{Unit: period.Month, Count: 1}
	r.plan = plan.Plan{ID: id.New(id.Plan, now), Name: "Basic", Currency: "EUR", Interval: month, Active: true,
		CreatedAt: now,
		Prices:    []plan.Price{plan.Flat(id.New(id.Price, now), "", 1000)}}
	r.pricey = plan.Plan{ID: id.New(id.Plan, now), Name: "Pro", Currency: "EUR", Interval: month, Active: true,
		CreatedAt: now,
		Prices:    []plan.Price{plan.Flat(id.New(id.Price, now), "", 3000)}}
	require.NoError(t, r.store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
		for _, write := range []func() error{
			func() error {
				return tx.Tenancy.InsertTenant(t.Context(), db.Tenant{ID: tenant, Name: "T", CreatedAt: now})
			},
			func() error {
				return tx.Tenancy.InsertApp(t.Context(),
					db.App{ID: app, TenantID: tenant, Name: "A", Keyset: keyset, CreatedAt: now})
			},
			func() error {
				return tx.Tenancy.InsertEnvironment(t.Context(), db.Environment{ID: r.env, AppID: app, Mode: "test", CreatedAt: now,
					Settings: subscription.Settings{
						TimeZone: "UTC", Dunning: dunning.Default(), PastDueBilling: subscription.SkipPastDue,
					}})
			},
			func() error {
				return tx.Payments.InsertProviderConfig(t.Context(), r.env, configured)
			},
			func() error { return tx.Catalog.InsertPlan(t.Context(), r.env, r.plan) },
			func() error { return tx.Catalog.InsertPlan(t.Context(), r.env, r.pricey) },
		} {
			if err := write(); err != nil {
				return err
			}
		}
		return nil
	}))
}

// subscribe creates a customer with a card, on a clock set to start, and a subscription with a trial.
func (r *rig) subscribe(t *testing.T, card string, trialDays int, start time.Time) (clock, cust, sub string) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	clock, cust, sub = id.New(id.TestClock, now), id.New(id.Customer, now), id.New(id.Subscription, now)
	s, events, err := subscribing.Create(r.plan, subscribing.NewInput{
		ID: sub, CustomerID: cust, TrialDays: &trialDays, TimeZone: "UTC", TestClockID: clock, Now: start,
	})
	require.NoError(t, err)
	require.NoError(t, r.store.InTx(ctx, db.BySystem("test"), start, func(tx *db.Tx) error {
		if err := tx.Clocks.Insert(ctx, r.env, testclock.Clock{
			ID: clock, Status: testclock.Ready, NowAt: start, CreatedAt: now,
		}); err != nil {
			return err
		}
		if err := tx.Customers.Insert(ctx, r.env, customer.Customer{ID: cust, TestClockID: clock, CreatedAt: start,
			PaymentMethod:  "card",
			PaymentDetails: customer.PaymentDetails{CustomerToken: "cus_1", PaymentMethodToken: card}}); err != nil {
			return err
		}
		if err := tx.Subscriptions.Insert(ctx, r.env, s); err != nil {
			return err
		}
		return tx.Emit(ctx, r.env, events[0])
	}))
	require.NoError(t, r.engine.StartSubscription(ctx,
		contract.SubscriptionStart{Input: contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: r.env, ID: sub}}}))
	return clock, cust, sub
}

func (r *rig) advance(t *testing.T, clock string, to time.Time) {
	t.Helper()
	require.NoError(t, r.store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		_, err := clocks.AdvanceClock(t.Context(), tx, r.env, clock, to)
		return err
	}))
	require.Eventually(t, func() bool {
		c, err := r.store.Clocks.Get(t.Context(), r.env, clock)
		return err == nil && c.Status == testclock.Ready
	}, 30*time.Second, 5*time.Millisecond)
	c, err := r.store.Clocks.Get(t.Context(), r.env, clock)
	require.NoError(t, err)
	require.Empty(t, c.BlockedBy)
	require.True(t, c.NowAt.Equal(to), "%s", c.NowAt)
}

func (r *rig) subscription(t *testing.T, sub string) subscription.Subscription {
	t.Helper()
	s, err := r.store.Subscriptions.Get(t.Context(), r.env, sub)
	require.NoError(t, err)
	return s
}

// events returns the events of a subscription, in the order of their sequence numbers.
func (r *rig) events(t *testing.T, sub string) []event.Type {
	t.Helper()
	list, _, err := r.store.Webhooks.Events(t.Context(), r.env, db.EventFilter{SubscriptionID: sub}, db.Page{Limit: 100})
	require.NoError(t, err)
	slices.SortFunc(list, func(a, b db.Event) int { return cmp.Compare(a.Sequence, b.Sequence) })
	types := make([]event.Type, 0, len(list))
	for _, e := range list {
		types = append(types, e.Type)
	}
	return types
}

// command performs one as the API does: a transaction; its signals follow the commit.
func (r *rig) command(t *testing.T, sub string, cmd lifecycle.Command) {
	t.Helper()
	require.NoError(t, r.store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		_, err := usecase.Command(t.Context(), tx, r.env, sub, cmd)
		return err
	}))
}

func TestTestClock_YearOfRenewals(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	start := time.Date(2027, 1, 31, 9, 0, 0, 0, time.UTC)
	clock, _, sub := r.subscribe(t, "pm_card_visa", 14, start)
	require.Equal(t, subscription.Trialing, r.subscription(t, sub).Status)

	began := time.Now()
	r.advance(t, clock, start.AddDate(1, 0, 0))
	t.Logf("twelve paid months took %s", time.Since(began))

	s := r.subscription(t, sub)
	require.Equal(t, subscription.Active, s.Status)
	require.Equal(t, time.Date(2028, 2, 14, 9, 0, 0, 0, time.UTC), s.CurrentPeriod.End)
	require.Equal(t, s.CurrentPeriod.End, s.PaidThrough)
	invoices := map[string]bool{}
	for _, m := range r.sim.Ledger() {
		require.Equal(t, "capture", m.Kind)
		require.EqualValues(t, 1000, m.Amount)
		require.Equal(t, "EUR", m.Currency)
		invoices[m.Invoice] = true
	}
	require.Len(t, r.sim.Ledger(), 12)
	require.Len(t, invoices, 12, "each pays an invoice of its own")
}

func TestTestClock_FailureRecoveryCancellation(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	start := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	clock, cust, sub := r.subscribe(t, "pm_card_chargeCustomerFail", 0, start)
	r.advance(t, clock, start.AddDate(0, 0, 1).Add(-time.Second))
	require.Equal(t, subscription.Active, r.subscription(t, sub).Status)
	r.advance(t, clock, start.AddDate(0, 0, 10))
	s := r.subscription(t, sub)
	require.Equal(t, subscription.PastDue, s.Status)
	require.Equal(t, start.AddDate(0, 0, 7), s.PastDueAt)

	ref := contract.Ref{EnvironmentID: r.env, ID: sub}
	c, err := r.store.Customers.Get(t.Context(), r.env, cust)
	require.NoError(t, err)
	c.PaymentDetails.PaymentMethodToken = "pm_card_visa"
	require.NoError(t, r.store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		if err := tx.Customers.Save(t.Context(), r.env, c); err != nil {
			return err
		}
		_, err := tx.Subscriptions.MarkMethodChanged(t.Context(), r.env, cust)
		return err
	}))
	require.NoError(t, r.engine.Wake(t.Context(), ref, contract.SignalWake, contract.Wake{By: "key"}))
	require.Eventually(t, func() bool {
		return r.subscription(t, sub).Status == subscription.Active
	}, 10*time.Second, 10*time.Millisecond)

	r.command(t, sub, lifecycle.ChangePlan{Plan: &r.pricey})
	const paidTwice = 21 // the events until the second invoice is paid
	require.Eventually(t, func() bool { return len(r.events(t, sub)) == paidTwice }, wait.Patience, 10*time.Millisecond)
	r.command(t, sub, lifecycle.Cancel{Reason: "too dear"})
	require.True(t, r.subscription(t, sub).CancelAtPeriodEnd)
	r.command(t, sub, lifecycle.Reactivate{})
	r.command(t, sub, lifecycle.Cancel{Immediate: true, Reason: "really", RefundUnused: true})
	require.Equal(t, subscription.Canceled, r.subscription(t, sub).Status)
	want := []event.Type{
		event.TypeSubscriptionCreated, event.TypeInvoiceCreated, event.TypeInvoiceFinalized,
		event.TypePaymentFailed, event.TypeInvoicePaymentFailed, event.TypePaymentFailed, event.TypeInvoicePaymentFailed,
		event.TypePaymentFailed, event.TypeInvoicePaymentFailed, event.TypePaymentFailed, event.TypeInvoicePaymentFailed,
		event.TypeSubscriptionPastDue,
		event.TypePaymentSuccess, event.TypeInvoicePaid, event.TypeSubscriptionActivated, // a good card
		event.TypeSubscriptionPlanChanged, event.TypeSubscriptionUpdated, // another plan
		event.TypeInvoiceCreated, event.TypeInvoiceFinalized, event.TypePaymentSuccess, event.TypeInvoicePaid,
		event.TypeSubscriptionCancelScheduled, event.TypeSubscriptionUpdated, // it is to end
		event.TypeSubscriptionReactivated, event.TypeSubscriptionUpdated, // the subscription continues
		event.TypeSubscriptionCanceled, event.TypeCreditNoteCreated, // it closes the period
		event.TypePaymentRefunded, event.TypePaymentRefunded,
	}
	require.Eventually(t, func() bool { return len(r.events(t, sub)) >= len(want) }, wait.Patience, 10*time.Millisecond)
	require.Equal(t, want, r.events(t, sub))
	moved := map[string][]int64{}
	for _, m := range r.sim.Ledger() {
		moved[m.Kind] = append(moved[m.Kind], m.Amount)
	}
	slices.Sort(moved["refund"]) // each charge is refunded automatically
	// 21 of 31 days are left: 3000 less 968 for the past days, of which 1000 less 323 was paid already.
	require.Equal(t, map[string][]int64{"capture": {1000, 2032 - 677}, "refund": {677, 2032 - 677}}, moved)
}
