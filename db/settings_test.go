package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/proration"
	"perennial/billing/retry"
	"perennial/billing/subscription"
	"perennial/db"
)

func TestSettingsRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got, err := b.store.Tenancy.Environment(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, somePolicy(), got.Settings.Dunning)

	want := got.Settings
	want.PastDueBilling, want.ProrationMeasure = subscription.AccruePastDue, proration.DayInclusive
	want.InvoiceNumbers = invoice.Numbering{Prefix: "A-", Digits: 4}
	want.Seller = invoice.Seller{Name: "Acme", Address: "1 Street", Country: "CM", TaxID: "M01", Email: "a@example.com"}
	want.Dunning = dunning.Policy{
		Retry: retry.Policy{Base: time.Hour, Factor: 3, Retries: 2, MaxJitter: time.Minute}, Final: dunning.Pause,
	}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		was, err := tx.Tenancy.LockSettings(ctx, b.env)
		require.NoError(t, err)
		require.Equal(t, got.Settings, was)
		require.NoError(t, tx.Tenancy.SaveSettings(ctx, b.env, was, want))
	})
	got, err = b.store.Tenancy.Environment(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, want, got.Settings)

	err = b.try(t, func(ctx context.Context, tx *db.Tx) error {
		_, err := tx.Tenancy.LockSettings(ctx, "env_absent")
		return err
	})
	requireFault(t, err, fault.NotFound, "environment_not_found")
}

// An environment that was created before policies were stored as a whole has its base, factor and days.
func TestSettings_OfAnOlderEnvironment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.pool.Exec(t.Context(), `update environments set dunning = null, retry_base_seconds = 3600, retry_factor = 3,
		retry_count = 2, retry_jitter_seconds = 60, past_due_cancel_after_days = 7 where id = $1`, b.env)
	require.NoError(t, err)
	got, err := b.store.Tenancy.Environment(t.Context(), b.env)
	require.NoError(t, err)
	require.Equal(t, dunning.Policy{
		Retry: retry.Policy{Base: time.Hour, Factor: 3, Retries: 2, MaxJitter: time.Minute}, Final: dunning.Cancel,
		CancelAfterDays: 7,
	}, got.Settings.Dunning)
}

// An invoice keeps the text of its number, whatever the later settings; the count continues.
func TestInvoiceNumbers_AreShownAsAtIssue(t *testing.T) {
	t.Parallel()
	b := setup(t)
	number := func(n invoice.Numbering) {
		b.write(t, func(ctx context.Context, tx *db.Tx) {
			was, err := tx.Tenancy.LockSettings(ctx, b.env)
			require.NoError(t, err)
			is := was
			is.InvoiceNumbers = n
			require.NoError(t, tx.Tenancy.SaveSettings(ctx, b.env, was, is))
		})
	}
	var ids []string
	for _, n := range []invoice.Numbering{{}, {Prefix: "A-", Digits: 4}, {Digits: 3}, {Prefix: "B/"}} {
		number(n)
		inv := b.invoice()
		inv.PeriodIndex, inv.Status, inv.VoidedAt = 0, invoice.Void, now
		inv.Collection.Phase = "closed"
		b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Invoices.Insert(ctx, b.env, inv)) })
		ids = append(ids, inv.ID)
	}
	var shown []string
	for _, id := range ids {
		inv, err := b.store.Invoices.Get(t.Context(), b.env, id)
		require.NoError(t, err)
		shown = append(shown, inv.ShownNumber())
	}
	require.Equal(t, []string{"1", "A-0002", "003", "B/4"}, shown)
	_, err := b.pool.Exec(t.Context(), "update invoices set number_text = 'C'")
	requireSQLState(t, err, "PB002")
}
