package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/db"
	"perennial/internal/id"
)

// grant gives the customer, who is on the clock, a grant; the zero time never expires.
func (b *bundle) grant(t *testing.T, amount money.Minor, expiresAt time.Time) balance.Grant {
	t.Helper()
	g := balance.Grant{
		ID: id.New(id.CreditGrant, wall), CustomerID: b.customer.ID, TestClockID: b.clock.ID, Currency: eur, Amount: amount,
		Left: amount, Priority: 7, PlanIDs: []string{b.plan.ID}, Name: "Welcome", Metadata: metadata.Pairs{"why": "x"},
		GivenAt: now, ExpiresAt: expiresAt,
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.InsertCreditGrant(ctx, b.env, g))
	})
	return g
}

func use(g balance.Grant, amount money.Minor) invoice.CreditEntry {
	return invoice.CreditEntry{Amount: amount, Reason: invoice.CreditApplied, GrantID: g.ID}
}

// A grant reads as it was written. Its use changes it and the sum of grants, but not the plain balance.
func TestCreditGrant_UsedWithinWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur,
			invoice.CreditEntry{Amount: -40, Reason: invoice.CreditCarriedForward}, inv.ID, now))
	})
	g := b.grant(t, 500, now.Add(time.Hour))
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.Equal(t, []balance.Grant{g}, state.Grants)
		require.EqualValues(t, -40, state.Balance)
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur, use(g, -490), inv.ID, now))
		require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur, use(g, -10), inv.ID, now))
	})
	err := b.try(t, func(ctx context.Context, tx *db.Tx) error {
		return tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur, use(g, -1), inv.ID, now)
	})
	require.ErrorContains(t, err, "credit_insufficient")
	credits, err := b.store.Customers.Credits(t.Context(), b.env, []string{b.customer.ID})
	require.NoError(t, err)
	require.Equal(t, []db.Credit{{CustomerID: b.customer.ID, Currency: eur, Balance: -40}}, credits)
	entries, _, err := b.store.Customers.BalanceEntries(t.Context(), b.env, b.customer.ID, eur, db.Page{Limit: 10})
	require.NoError(t, err)
	var after []money.Minor
	for _, e := range entries {
		after = append(after, e.After)
	}
	require.Equal(t, []money.Minor{-40, -30, 460, -40}, after, "the newest first, each all that there is")

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		state, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		require.Nil(t, state.Grants, "nothing is left, and no open invoice has used it")
	})
	for _, sql := range []string{
		"update credit_grants set remaining = -1", "update credit_grants set remaining = amount + 1",
		"update credit_grants set amount = 501", "update credit_grants set expires_at = null", "delete from credit_grants",
		"update credit_balances set granted = -1",
		`insert into credit_entries (id, environment_id, customer_id, currency, amount, reason, balance_after, created_at)
		 select 'cr_x', environment_id, customer_id, 'EUR', 1, 'granted', 1, now() from credit_grants`,
	} {
		_, err := b.pool.Exec(t.Context(), sql)
		require.Error(t, err, sql)
	}
}

// A grant that has ended is found by the customer's time, but not before a period that was due earlier is billed. Its
// rest is removed once.
func TestCreditGrant_EndsOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.grant(t, 500, now.Add(time.Hour))
	due := func(by time.Time) []db.DueGrant {
		found, err := b.store.Customers.DueGrantsOnClock(t.Context(), b.env, b.clock.ID, by)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, due(now))
	ref := db.DueGrant{Ref: db.Ref{EnvironmentID: b.env, ID: g.ID}, CustomerID: g.CustomerID, Currency: eur}
	require.Equal(t, []db.DueGrant{ref}, due(now.Add(time.Hour)))
	_, err := b.pool.Exec(t.Context(), "update subscriptions set next_action_at = $1", now.Add(time.Minute))
	require.NoError(t, err)
	require.Empty(t, due(now.Add(time.Hour)), "a boundary before it is late")
	next, _, err := b.store.Clocks.NextDue(t.Context(), b.env, b.clock.ID)
	require.NoError(t, err)
	require.True(t, next.Equal(now.Add(time.Minute)), "%s", next)
	_, err = b.pool.Exec(t.Context(), "update subscriptions set next_action_at = $1", now.Add(2*time.Hour))
	require.NoError(t, err)
	next, _, err = b.store.Clocks.NextDue(t.Context(), b.env, b.clock.ID)
	require.NoError(t, err)
	require.True(t, next.Equal(now.Add(time.Hour)), "%s", next)

	b.write(t, func(ctx context.Context, tx *db.Tx) {
		locked, err := tx.Customers.LockCreditGrant(ctx, b.env, g.ID)
		require.NoError(t, err)
		ended, left := locked.End(now.Add(time.Hour))
		require.NoError(t, tx.Customers.EndCreditGrant(ctx, b.env, ended, left, invoice.CreditExpired, now.Add(time.Hour)))
	})
	require.Empty(t, due(now.Add(time.Hour)))
	require.Equal(
		t, 1, b.count(
			t, "select count(*) from credit_entries where reason = 'expired' and amount = -500 and balance_after = 0",
		),
	)
}

// Two subscriptions of one customer never use the same credit of a grant: the second waits for the first, and finds the
// rest.
func TestCreditGrant_TwoSubscriptions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	g := b.grant(t, 500, time.Time{})
	other := newSubscription(b.environment)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Subscriptions.Insert(ctx, b.env, other)) })
	invoices := [2]invoice.Invoice{b.openInvoice(t), b.openInvoice(t)}
	take := func(ctx context.Context, tx *db.Tx, state lifecycle.State, inv string) error {
		for _, use := range balance.Take(state.Grants, 300, now) {
			entry := invoice.CreditEntry{Amount: -use.Amount, Reason: invoice.CreditApplied, GrantID: use.ID}
			if err := tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur, entry, inv, now); err != nil {
				return err
			}
		}
		return nil
	}
	waits, done := make(chan struct{}), make(chan error, 1)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		first, err := tx.Lifecycle.LockSubscription(ctx, b.env, b.subscription.ID)
		require.NoError(t, err)
		go func() {
			done <- b.store.InTx(ctx, db.BySystem("test"), now, func(tx *db.Tx) error {
				close(waits)
				second, err := tx.Lifecycle.LockSubscription(ctx, b.env, other.ID)
				if err != nil {
					return err
				}
				return take(ctx, tx, second, invoices[1].ID)
			})
		}()
		<-waits
		require.NoError(t, take(ctx, tx, first, invoices[0].ID))
	})
	require.NoError(t, <-done)
	require.Zero(t, b.count(t, "select remaining::int from credit_grants where id = $1", g.ID))
	require.Equal(t, 200, b.count(t, "select -amount::int from credit_entries where invoice_id = $1", invoices[1].ID))
}

// The amounts that credit notes gave back to grants are read with the next note: they do not go back again.
func TestLockForCredit_KnowsWhatNotesGaveBackToGrants(t *testing.T) {
	t.Parallel()
	b := setup(t)
	inv := b.openInvoice(t)
	g := b.grant(t, 500, time.Time{})
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		for _, entry := range []invoice.CreditEntry{
			use(g, -400), {Amount: 30, Reason: invoice.CreditNoted, GrantID: g.ID},
			{Amount: 20, Reason: invoice.CreditNoted, GrantID: g.ID},
			{Amount: 7, Reason: invoice.CreditNoted},
		} {
			require.NoError(t, tx.Customers.AddCredit(ctx, b.env, b.customer.ID, eur, entry, inv.ID, now))
		}
	})
	_, err := b.pool.Exec(t.Context(), `alter table invoices disable trigger user;
		update invoices set grants_used = '[{"id": "`+g.ID+`", "amount": 400}]'`)
	require.NoError(t, err)
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		under, err := tx.Invoices.LockForCredit(ctx, b.env, inv.ID)
		require.NoError(t, err)
		require.Equal(t, balance.Uses{{ID: g.ID, Amount: 50}}, under.Given.ToGrants)
	})
}
