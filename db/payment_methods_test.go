package db_test

import (
	"context"
	"maps"
	"reflect"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/db"
	"perennial/internal/id"
)

// The method of each customer becomes a payment method, once, whatever builds write while the migration runs. Tokens
// stay where they are: in the columns of the customer, and in their copy.
func TestMigrate_OneMethodBecomesTheDefault(t *testing.T) {
	t.Parallel()
	database := migratedTo(t, 175)
	pool := database.Pool(t)
	exec := func(statement string, args ...any) {
		t.Helper()
		_, err := pool.Exec(t.Context(), statement, args...)
		require.NoError(t, err)
	}
	exec(`insert into tenants values ('ten', 't', now())`)
	exec(`insert into apps (id, tenant_id, name, keyset, created_at) values ('app', 'ten', 'a', '', now())`)
	exec(`insert into environments (id, app_id, mode, time_zone, retry_base_seconds, retry_factor, retry_count,
			retry_jitter_seconds, past_due_billing, created_at)
		values ('env', 'app', 'test', 'UTC', 60, 1, 1, 0, 'skip', now())`)
	exec(`insert into customers (environment_id, id, email, metadata, payment_method, payment_details, created_at) values
		('env', 'cust_1', 'a@example.com', '{}', 'card', '{"paymentMethodToken": "tok_1"}', now()),
		('env', 'cust_2', 'b@example.com', '{}', null, null, now())`)
	require.NoError(t, db.Migrate(t.Context(), database.URL, nil))
	require.Equal(t, [][3]string{{"pm_1", "card", "tok_1"}}, methodRows(t, pool, "env"))

	exec(`update customers set payment_details = '{"paymentMethodToken": "tok_2"}' where id = 'cust_1'`)
	require.Equal(t, [][3]string{{"pm_1", "card", "tok_2"}}, methodRows(t, pool, "env"),
		"a build from before replaces the default")
	exec(`update customers set payment_method = null, payment_details = null where id = 'cust_1'`)
	require.Empty(t, methodRows(t, pool, "env"))
	exec(`update customers set payment_method = 'card', payment_details = '{"paymentMethodToken": "tok_3"}'
		where id = 'cust_1'`)
	rows := methodRows(t, pool, "env")
	require.Len(t, rows, 1)
	require.True(t, id.Is(id.PaymentMethod, rows[0][0]), "%s is an id like any other", rows[0][0])
	require.Equal(t, "tok_3", rows[0][2])
}

func methodRows(t *testing.T, pool interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}, env string) [][3]string {
	t.Helper()
	rows, err := pool.Query(t.Context(), `select id, type, details ->> 'paymentMethodToken' from payment_methods
		where environment_id = $1 and removed_at is null order by position`, env)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m [3]string, err error) {
		return m, row.Scan(&m[0], &m[1], &m[2])
	})
	require.NoError(t, err)
	return found
}

// The default is what the customer's own columns say, whichever method it was before, and a removed method keeps
// nothing that it was charged with.
func TestPaymentMethods_FollowTheCustomer(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, err := b.store.Customers.Get(t.Context(), b.env, b.customer.ID)
	require.NoError(t, err)
	second := customer.Method{
		ID: id.New(id.PaymentMethod, wall), CustomerID: c.ID, Type: "card", BillingName: "Ada",
		Details: customer.PaymentDetails{PaymentMethodToken: "tok_2"}, CreatedAt: wall, Revision: 1,
		Card: customer.Card{Brand: "visa", LastFour: "4242", ExpiryYear: 2030, ExpiryMonth: 2},
	}
	all := func() []customer.Method {
		methods, err := b.store.Customers.AllPaymentMethods(t.Context(), b.env, c.ID)
		require.NoError(t, err)
		return methods
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.InsertPaymentMethod(ctx, b.env, second))
		require.NoError(t, tx.Customers.Save(ctx, b.env, c.WithMethod(second)))
	})
	second.Default = true
	methods := all()
	require.Len(t, methods, 2)
	require.Equal(t, second, methods[1], "the write of the customer changes nothing that is known of the default")
	require.False(t, methods[0].Default)

	c, err = b.store.Customers.Get(t.Context(), b.env, c.ID)
	require.NoError(t, err)
	require.Equal(t, second.ID, c.PaymentMethodID)
	c.PaymentDetails.PaymentMethodToken = "tok_3"
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.Save(ctx, b.env, c)) })
	methods = all()
	require.Equal(t, customer.Card{}, methods[1].Card, "another token is another card")
	require.Equal(t, "tok_3", methods[1].Details.PaymentMethodToken)

	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Customers.Erase(ctx, b.env, c.ID)) })
	require.Empty(t, all())
	var kept int
	require.NoError(t, b.pool.QueryRow(t.Context(), `select count(*) from payment_methods
		where environment_id = $1 and (billing_name is not null or details ? 'phoneNumber')`, b.env).Scan(&kept))
	require.Zero(t, kept)
	due, err := b.store.Customers.DueRemovals(t.Context(), wall.Add(time.Hour), 10)
	require.NoError(t, err)
	require.Len(t, due, 2, "the provider is to remove both")
	removal, err := b.store.Customers.Removal(t.Context(), b.env, second.ID)
	require.NoError(t, err)
	require.Equal(t, "tok_3", removal.Details.PaymentMethodToken)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.EndRemoval(ctx, b.env, second.ID))
	})
	_, err = b.store.Customers.Removal(t.Context(), b.env, second.ID)
	require.ErrorIs(t, err, db.ErrPaymentMethodNotFound)
}

// A decision about a subscription has the payment method that it names in place of the customer's default, also where
// that changes, and the default again where the named one is gone.
func TestLockSubscription_PaysWithTheNamedMethod(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c, err := b.store.Customers.Get(t.Context(), b.env, b.customer.ID)
	require.NoError(t, err)
	second := customer.Method{
		ID: id.New(id.PaymentMethod, wall), CustomerID: c.ID, Type: "card", CreatedAt: wall, Revision: 1,
		Details: customer.PaymentDetails{PaymentMethodToken: "tok_2"},
	}
	sub := b.subscription
	sub.PaymentMethodID = second.ID
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.InsertPaymentMethod(ctx, b.env, second))
		require.NoError(t, tx.Subscriptions.Save(ctx, b.env, sub))
	})
	require.Equal(t, c.WithMethod(second), load(t, b).Customer)
	require.Empty(t, load(t, b).OtherMethods, "no policy tries them")
	naming, err := b.store.Subscriptions.NamingMethod(t.Context(), b.env, second.ID, 5)
	require.NoError(t, err)
	require.Equal(t, []string{sub.ID}, naming)

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		marked, err := tx.Subscriptions.MarkMethodChanged(ctx, b.env, c.ID)
		require.NoError(t, err)
		require.Empty(t, marked, "a new default does not concern it")
		marked, err = tx.Subscriptions.MarkMethodChangedOf(ctx, b.env, c.ID, second.ID, false)
		require.NoError(t, err)
		require.Equal(t, []string{sub.ID}, marked)
	})
	require.False(t, load(t, b).Subscription.MethodChangedAt.IsZero())

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.RemovePaymentMethod(ctx, b.env, second.ID))
	})
	require.Equal(t, c.PaymentMethodID, load(t, b).Customer.PaymentMethodID)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		unnamed, err := tx.Subscriptions.ReplaceMethod(ctx, b.env, second.ID, "")
		require.NoError(t, err)
		require.Equal(t, []string{sub.ID}, unnamed)
	})
	require.Empty(t, load(t, b).Subscription.PaymentMethodID)
}

// endingMethods adds a payment method that its provider is to remove, and one whose card has expired, and returns the
// id of the first.
func (b *bundle) endingMethods(t *testing.T) string {
	t.Helper()
	removed := customer.Method{
		ID: id.New(id.PaymentMethod, wall), CustomerID: b.customer.ID, Type: "card", CreatedAt: wall,
		Details: customer.PaymentDetails{PaymentMethodToken: "tok_removed"},
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.InsertPaymentMethod(ctx, b.env, removed))
		require.NoError(t, tx.Customers.RemovePaymentMethod(ctx, b.env, removed.ID))
		expiring := removed
		expiring.ID, expiring.Card = id.New(id.PaymentMethod, wall), customer.Card{ExpiryYear: 2001, ExpiryMonth: 1}
		require.NoError(t, tx.Customers.InsertPaymentMethod(ctx, b.env, expiring))
	})
	return removed.ID
}

// withMethods adds what reads of payment methods find.
func (b *bundle) withMethods(t *testing.T, f filling) filling {
	t.Helper()
	first := b.customer.FirstMethodID()
	maps.Copy(f.ids, map[string]string{
		"Subscriptions.NamingMethod": first, "Customers.PaymentMethodWithKey": first,
		"Customers.PaymentMethods": b.customer.ID, "Customers.AllPaymentMethods": b.customer.ID,
		"Customers.Removal": b.endingMethods(t), "Customers.ExpiringMethodsOnClock": b.clock.ID,
	})
	f.filters[reflect.TypeFor[db.MethodUse]()] = db.MethodUse{ByDefault: true, MethodID: first}
	return f
}
