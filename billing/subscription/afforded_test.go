package subscription

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// What a credit may be follows from its own taxes, in whatever order items go: all lines come to what is kept, not less,
// and not more.
func TestAfforded_TakesEachCreditsOwnTaxes(t *testing.T) {
	t.Parallel()
	vat := []tax.Rate{{ID: "txr_1", Name: "VAT", Percent: money.Whole(19)}}
	open := []invoice.Line{{Kind: invoice.ProrationCharge, Amount: 1000, Rates: vat}} // 1190, unpaid
	exempt := invoice.Line{Kind: invoice.ProrationCredit, Amount: -100}
	taxed := invoice.Line{Kind: invoice.ProrationCredit, Amount: -1000, Rates: vat}
	for name, going := range map[string][]invoice.Line{
		"the exempt item first": {exempt, taxed}, "the taxed item first": {taxed, exempt},
	} {
		for least, want := range map[money.Minor]money.Minor{0: 0, -50: -50, 200: 200, -500: -100} {
			lines := open
			for _, credit := range going {
				amount, err := afforded(lines, credit, least)
				require.NoError(t, err)
				require.LessOrEqual(t, amount, money.Minor(0))
				require.GreaterOrEqual(t, amount, credit.Amount)
				credit.Amount = amount
				lines = append(lines[:len(lines):len(lines)], credit)
			}
			sums, err := invoice.Draft{Lines: lines, Back: invoice.Back{Total: 10_000, Tax: 10_000}}.Sums()
			require.NoError(t, err)
			require.InDelta(t, int64(want), int64(sums.Total), 1, "%s, at least %d", name, least)
		}
	}
	amount, err := afforded(nil, exempt, 0)
	require.NoError(t, err)
	require.Zero(t, amount, "nothing is kept")
}
