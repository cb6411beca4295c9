package invoice_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// For any lines of several categories, each rate's base is the sum of its lines, the added rates sum to the tax of the
// invoice, and each rate differs from the sum over its lines at most by rounding.
func TestSums_OfSeveralCategories(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		categories := []tax.Category{"", "books", "food"}
		var held tax.Held
		for i, id := range []string{"txr_1", "txr_2", "txr_3", "txr_4"} {
			held = append(held, tax.Definition{
				Rate:     rate(id, rapid.Int64Range(0, 30).Draw(t, "percent"), i > 1 && rapid.Bool().Draw(t, "inclusive")),
				Category: rapid.SampledFrom(categories).Draw(t, "rate's category"),
			})
		}
		lines := make([]invoice.Line, rapid.IntRange(1, 6).Draw(t, "lines"))
		exact := map[string]*big.Rat{}
		for i := range lines {
			of := rapid.SampledFrom(categories).Draw(t, "category")
			lines[i] = taxed(money.Minor(rapid.Int64Range(-2000, 9000).Draw(t, "amount")), held.For(of)...)
			inclusive := int64(100)
			for _, r := range lines[i].Rates {
				if r.Inclusive {
					inclusive += r.Percent.Rat().Num().Int64()
				}
			}
			for _, r := range lines[i].Rates {
				if exact[r.ID] == nil {
					exact[r.ID] = new(big.Rat)
				}
				part := new(big.Rat).Mul(big.NewRat(int64(lines[i].Amount), inclusive), r.Percent.Rat())
				exact[r.ID].Add(exact[r.ID], part)
			}
		}
		sums, err := invoice.Draft{Lines: lines, Creditable: invoice.Creditable{
			Total: money.MaxMinor, Tax: money.MaxMinor,
		}}.Sums()
		require.NoError(t, err)

		var added money.Minor
		require.Len(t, sums.Taxes, len(exact))
		for _, on := range sums.Taxes {
			if !on.Inclusive {
				added += on.Amount
			}
			off := new(big.Rat).Sub(exact[on.ID], big.NewRat(int64(on.Amount), 1))
			require.LessOrEqual(t, off.Abs(off).Cmp(big.NewRat(1, 1)), 0, "%s: %s is not %d", on.ID, exact[on.ID], on.Amount)
		}
		require.Equal(t, added, sums.Tax)
		require.Equal(t, sums.Subtotal+sums.Tax, sums.Total)
	})
}
