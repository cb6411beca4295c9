package db_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/db"
	"perennial/internal/id"
)

func aTaxRate(id string) tax.Definition {
	percent, _ := money.ParseDecimal("19.250")
	return tax.Definition{
		Rate:     tax.Rate{ID: id, Name: "VAT", Percent: percent, Inclusive: true},
		Category: "books", Country: "CM", Region: "CE", Stacks: true, ValidFrom: now.Add(-time.Hour),
		ValidUntil: now.Add(time.Hour), CreatedAt: wall,
	}
}

func TestTaxRateRoundTrip(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := aTaxRate(id.New(id.TaxRate, wall))
	everywhere := tax.Definition{Rate: tax.Rate{ID: id.New(id.TaxRate, wall), Name: "Levy",
		Percent: money.Whole(1)}, CreatedAt: wall}
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		require.NoError(t, tx.Catalog.InsertTaxRate(ctx, b.env, want))
		require.NoError(t, tx.Catalog.InsertTaxRate(ctx, b.env, everywhere))
		locked, err := tx.Catalog.LockTaxRate(ctx, b.env, want.ID)
		require.NoError(t, err)
		require.Equal(t, want, locked)
	})
	require.Equal(t, []tax.Definition{everywhere}, load(t, b).TaxRates, "the customer's country is not known")
	b.write(t, func(ctx context.Context, tx *db.Tx) {
		c, err := tx.Customers.Lock(ctx, b.env, b.customer.ID)
		require.NoError(t, err)
		c.Country = "CM"
		require.NoError(t, tx.Customers.Save(ctx, b.env, c))
	})
	require.Equal(t, []tax.Definition{want, everywhere}, load(t, b).TaxRates)

	want.Name, want.ArchivedAt = "VAT, old", wall.Add(time.Minute)
	b.write(t, func(ctx context.Context, tx *db.Tx) { require.NoError(t, tx.Catalog.SaveTaxRate(ctx, b.env, want)) })

	require.Equal(t, []tax.Definition{everywhere}, load(t, b).TaxRates, "archived")
	archived := true
	listed, more, err := b.store.Catalog.TaxRates(t.Context(), b.env, db.TaxRateFilter{Archived: &archived}, db.Page{})
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, []tax.Definition{want}, listed)
	page, _, err := b.store.Catalog.TaxRates(t.Context(), b.env, db.TaxRateFilter{}, db.Page{StartingAfter: everywhere.ID})
	require.NoError(t, err)
	require.Equal(t, []tax.Definition{want}, page)

	_, err = b.pool.Exec(t.Context(), "update tax_rates set percent = '1'")
	requireSQLState(t, err, "PB002")
}
