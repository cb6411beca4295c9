package db_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/billing/account"
	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/dunning"
	"perennial/billing/erasure"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/retry"
	"perennial/billing/subscription"
	"perennial/billing/testclock"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/testdb"
)

// Virtual and real time differ in these tests, so that a mix-up shows.
var (
	now  = time.Date(2031, 5, 1, 12, 0, 0, 123000, time.UTC)
	wall = time.Date(2026, 11, 20, 9, 30, 0, 456000, time.UTC)
)

const month = 30 * 24 * time.Hour

// bundle is one test's database: a store on it, plain SQL on it, and an environment filled with one of everything.
type bundle struct {
	store *db.Store
	pool  *pgxpool.Pool
	environment
}

// environment names the rows of one.
type environment struct {
	env          string
	app          string
	tenant       string
	hash         []byte
	key          string
	provider     string
	plan         plan.Plan
	clock        testclock.Clock
	customer     customer.Customer
	subscription subscription.Subscription
}

func setup(t testing.TB) *bundle {
	t.Helper()
	database := testdb.Migrated(t)
	store := testdb.Open(t, database, "", 20, func() time.Time { return wall })
	b := &bundle{store: store, pool: database.Pool(t)}
	b.environment = b.newEnvironment(t)
	return b
}

// bareEnvironment writes a tenant down to a key.
func (b *bundle) bareEnvironment(t testing.TB) environment {
	t.Helper()
	e := environment{
		env: id.New(id.Environment, wall), app: id.New(id.App, wall), tenant: id.New(id.Tenant, wall),
		key: id.New(id.APIKey, wall), provider: id.New(id.ProviderConfig, wall),
	}
	sum := sha256.Sum256([]byte(e.key))
	e.hash = sum[:]
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Tenancy.InsertTenant(ctx, db.Tenant{ID: e.tenant, Name: "tenant", CreatedAt: wall}))
		require.NoError(t, tx.Tenancy.InsertApp(ctx, db.App{
			ID: e.app, TenantID: e.tenant, Name: "app", Keyset: []byte("keyset"), CreatedAt: wall,
		}))
		require.NoError(t, tx.Tenancy.InsertEnvironment(ctx, newEnvironment(e)))
		require.NoError(t, tx.Tenancy.InsertAPIKey(ctx, e.env,
			db.NewAPIKey{ID: e.key, Kind: "secret", Hash: e.hash, Hint: "sk_test_…abcd", Scopes: []string{"*"}}))
	})
	return e
}

// sealed is the first version of an account's credentials.
var sealed = []db.SealedCredentials{{
	Version: 1, Fields: []string{"secretKey", "webhookSecret"}, Sealed: []byte("sealed"),
}}

// newEnvironment writes a tenant down to a subscription without invoices.
func (b *bundle) newEnvironment(t testing.TB) environment {
	t.Helper()
	e := b.bareEnvironment(t)
	e.plan = newPlan()
	e.clock = testclock.Clock{
		ID: id.New(id.TestClock, wall), Name: "clock", Status: testclock.Ready, NowAt: now, BlockedBy: []string{},
		Revision: 1, CreatedAt: wall,
	}
	e.customer = newCustomer(e.clock.ID)
	e.subscription = newSubscription(e)
	e.subscription.Items = e.items(e.plan, 1)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertProviderConfig(ctx, e.env, db.ProviderConfig{
			ID: e.provider, Provider: "stripe", Account: account.Account{Primary: true}, Credentials: sealed,
		}))
		require.NoError(t, tx.Catalog.InsertPlan(ctx, e.env, e.plan))
		require.NoError(t, tx.Clocks.Insert(ctx, e.env, e.clock))
		require.NoError(t, tx.Customers.Insert(ctx, e.env, e.customer))
		require.NoError(t, tx.Subscriptions.Insert(ctx, e.env, e.subscription))
	})
	return e
}

// write runs fn in a transaction that must succeed.
func (b *bundle) write(t testing.TB, fn func(context.Context, *db.Tx)) {
	t.Helper()
	require.NoError(t, b.try(t, func(ctx context.Context, tx *db.Tx) error { fn(ctx, tx); return nil }))
}

// try runs fn in a transaction.
func (b *bundle) try(t testing.TB, fn func(context.Context, *db.Tx) error) error {
	t.Helper()
	return b.store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error { return fn(t.Context(), tx) })
}

// count runs a query that answers one number.
func (b *bundle) count(t *testing.T, sql string, args ...any) int {
	t.Helper()
	var n int
	require.NoError(t, b.pool.QueryRow(t.Context(), sql, args...).Scan(&n))
	return n
}

func newEnvironment(e environment) db.Environment {
	return db.Environment{
		ID: e.env, AppID: e.app, TenantID: e.tenant, Mode: "test", CreatedAt: wall,
		Settings: subscription.Settings{
			TimeZone: "Africa/Kampala", Dunning: somePolicy(), PastDueBilling: subscription.SkipPastDue,
		},
	}
}

// locked reads and locks the subscription until the transaction ends.
func locked(ctx context.Context, t *testing.T, b *bundle, tx *db.Tx) subscription.Subscription {
	t.Helper()
	loaded, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
	require.NoError(t, err)
	return loaded.Subscription
}

func newPlan() plan.Plan {
	return plan.Plan{
		Features: plan.Features{{Key: "projects", Limit: new(int64(3)), PerUnit: true}, {Key: "sso"}},
		ID:       id.New(id.Plan, wall), Version: 1, Name: "Pro", Currency: "EUR",
		Interval:  period.Interval{Unit: period.Month, Count: 1},
		TrialDays: 14, TrialEnd: plan.TrialEndPause, Active: true, Metadata: metadata.Pairs{"tier": json.Number("2.50")},
		CreatedAt: wall, VersionAt: wall,
		Prices: []plan.Price{
			plan.Flat(id.New(id.Price, wall), "base", 1000), plan.Flat(id.New(id.Price, wall), "seats", 500),
		},
	}
}

func newCustomer(clockID string) customer.Customer {
	c := customer.Customer{
		ID: id.New(id.Customer, wall), Email: "ada@example.com", Name: "Ada", Phone: "+256700000001",
		Metadata: metadata.Pairs{"crm": "7", "vip": true, "left": nil}, PaymentMethod: "card",
		PaymentDetails: customer.PaymentDetails{Provider: "stripe", CustomerToken: "cus_1", PaymentMethodToken: "pm_1"},
		TestClockID:    clockID, CreatedAt: now, Revision: 1,
	}
	c.PaymentMethodID = c.FirstMethodID()
	return c
}

func newSubscription(e environment) subscription.Subscription {
	return subscription.Subscription{
		ID: id.New(id.Subscription, wall), CustomerID: e.customer.ID, PlanID: e.plan.ID,
		PlanVersion: e.plan.Version, Quantity: 1,
		Status:   subscription.Active,
		Currency: "EUR", TimeZone: "Africa/Kampala", AnchorAt: now, Interval: e.plan.Interval,
		CurrentPeriod: period.Period{Start: now, End: now.Add(month)}, PeriodIndex: 1, RenewedIndex: 1, NextPeriod: 1,
		TestClockID: e.clock.ID,
		Metadata:    metadata.Pairs{"seat": json.Number("1e-7")}, NextAction: subscription.ActionRenewal,
		NextActionAt: now.Add(month), Revision: 1, CreatedAt: now, UpdatedAt: now,
	}
}

// invoice returns an open invoice of the environment's subscription for its current period. Its reason is a change, of
// which a period may have several.
func (e environment) invoice() invoice.Invoice {
	current := e.subscription.CurrentPeriod
	return invoice.Invoice{
		ID: id.New(id.Invoice, wall), CustomerID: e.customer.ID, SubscriptionID: e.subscription.ID, Status: invoice.Open,
		Reason: invoice.Update, Currency: "EUR", Total: 1500, AmountDue: 1500, Period: current, PeriodIndex: 1,
		Lines: []invoice.Line{
			{
				ID: id.New(id.InvoiceLine, wall), Kind: invoice.Recurring, Description: "base", PlanID: e.plan.ID,
				PriceID: e.plan.Prices[0].ID, ItemID: e.itemID(0), PeriodIndex: 1, Quantity: "1", UnitPrice: "10.00",
				Amount: 1000, Period: current,
			},
			{
				ID: id.New(id.InvoiceLine, wall), Kind: invoice.Recurring, Description: "seats", PlanID: e.plan.ID,
				PriceID: e.plan.Prices[1].ID, ItemID: e.itemID(1), PeriodIndex: 1, Quantity: "1", UnitPrice: "5.00",
				Amount: 500, Period: current,
			},
		},
		Collection: collection.State{Phase: collection.Charging, Automatic: 1, Attempts: 1, Trigger: collection.Automatic},
		IssuedAt:   now, CreatedAt: now,
	}
}

// items returns the items of the subscription on a plan.
func (e environment) items(p plan.Plan, quantity int64) (items []subscription.Item) {
	for _, price := range p.Prices {
		items = append(items, subscription.Item{
			ID: lifecycle.ItemID(id.Source{}, e.subscription, price.ID), PriceID: price.ID, Quantity: quantity,
		})
	}
	return items
}

// itemID is the item of the subscription for a price of its plan.
func (e environment) itemID(price int) string {
	return lifecycle.ItemID(id.Source{}, e.subscription, e.plan.Prices[price].ID)
}

// charge is a pending attempt at an invoice.
func (e environment) charge(invoiceID string) payment.Transaction {
	return payment.Transaction{
		ID: id.New(id.Transaction, wall), Type: payment.Charge, Status: payment.Pending, CustomerID: e.customer.ID,
		SubscriptionID: e.subscription.ID, InvoiceID: invoiceID, Amount: 1500, Currency: "EUR", Description: "Pro",
		AttemptNumber: 1, Trigger: collection.Automatic, Provider: "stripe", ProviderConfigID: e.provider,
		Method: payment.Method{Type: "card", Details: e.customer.PaymentDetails}, SendDueAt: wall, DueAt: now, CreatedAt: now,
		Revision: 1,
	}
}

// openInvoice writes an invoice.
func (b *bundle) openInvoice(t *testing.T) invoice.Invoice {
	t.Helper()
	inv := b.invoice()
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv)) })
	return inv
}

// pendingCharge writes an attempt at an invoice; without one it is a charge of its own.
func (b *bundle) pendingCharge(t *testing.T, invoiceID string) payment.Transaction {
	t.Helper()
	txn := b.charge(invoiceID)
	if invoiceID == "" {
		txn.SubscriptionID, txn.AttemptNumber = "", 0
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Payments.InsertTransaction(ctx, b.env, txn))
	})
	return txn
}

// erase removes the personal data of a customer, and of the rows that an erasure handles one by one, in one
// transaction.
func erase(ctx context.Context, tx *db.Tx, env, customerID string) error {
	if err := tx.Customers.Erase(ctx, env, customerID); err != nil {
		return err
	}
	e := erasure.OfCustomer("", customerID, wall)
	ids, _, err := tx.Customers.SubscriptionsToErase(ctx, env, e, 100)
	if err != nil {
		return err
	}
	if err := tx.Customers.EraseSubscriptions(ctx, env, ids); err != nil {
		return err
	}
	for _, stage := range []func(context.Context, string, erasure.Erasure, int) (erasure.Handled, error){
		tx.Customers.EraseTransactions, tx.Customers.EraseEvents, tx.Customers.EraseResponses,
	} {
		if _, err := stage(ctx, env, e, 100); err != nil {
			return err
		}
	}
	return nil
}

// anEvent is one about s.
func anEvent(s subscription.Subscription) event.Event {
	return event.New(event.SubscriptionUpdated{
		Subscription: event.OfSubscription(s.ID, s.CustomerID), Status: string(s.Status), PlanID: s.PlanID,
		Changed: []string{"planId"},
	}, now.Truncate(time.Second))
}

// stored is the JSON that an event's data is kept as.
func stored(t *testing.T, data event.Data) string {
	t.Helper()
	raw, err := json.Marshal(data)
	require.NoError(t, err)
	return string(raw)
}

// requireFault checks the code and the kind of an error.
func requireFault(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	require.Error(t, err)
	f := fault.From(err)
	require.Equal(t, code, f.Code, "%v", err)
	require.Equal(t, kind, f.Kind)
}

var eur = money.Currency("EUR")

// somePolicy has a value in every field that can be combined with the others.
func somePolicy() dunning.Policy {
	p := dunning.Policy{Retry: retry.List(24*time.Hour, 72*time.Hour), Final: dunning.Cancel, CancelAfterDays: 30}
	p.Retry.Rules = []retry.Rule{{Code: "ACCOUNT_BLOCKED", Never: true}, {Code: "INSUFFICIENT_FUNDS", DayOfMonth: 25}}
	p.Minimums = []dunning.Minimum{{Currency: "EUR", Amount: 3}, {Currency: "XAF", Amount: money.MaxMinor}}
	return p
}
