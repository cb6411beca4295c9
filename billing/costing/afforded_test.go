package costing

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

// The bound of a credit follows from its own taxes, in whatever order items are removed: all lines sum to exactly the
// amount that is kept.
func TestAfforded_TakesEachCreditsOwnTaxes(t *testing.T) {
	t.Parallel()
	vat := []tax.Rate{{ID: "txr_1", Name: "VAT", Percent: money.Whole(19)}}
	open := []invoice.Line{{Kind: invoice.ProrationCharge, Amount: 1000, Rates: vat}} // 1190, unpaid
	exempt := invoice.Line{Kind: invoice.ProrationCredit, Amount: -100}
	taxed := invoice.Line{Kind: invoice.ProrationCredit, Amount: -1000, Rates: vat}
	for name, removed := range map[string][]invoice.Line{
		"the exempt item first": {exempt, taxed}, "the taxed item first": {taxed, exempt},
	} {
		for least, want := range map[money.Minor]money.Minor{0: 0, -50: -50, 200: 200, -500: -100} {
			lines := open
			for _, credit := range removed {
				less, err := afforded(lines, credit, billedFor(credit), least)
				require.NoError(t, err)
				require.LessOrEqual(t, less.Amount, money.Minor(0))
				require.GreaterOrEqual(t, less.Amount, credit.Amount)
				lines = append(lines[:len(lines):len(lines)], less)
			}
			sums, err := invoice.Draft{Lines: lines, Creditable: invoice.Creditable{Total: 10_000, Tax: 10_000}}.Sums()
			require.NoError(t, err)
			require.InDelta(t, int64(want), int64(sums.Total), 1, "%s, at least %d", name, least)
		}
	}
	none, err := afforded(nil, exempt, billedFor(exempt), 0)
	require.NoError(t, err)
	require.Zero(t, none.Amount, "nothing is kept")
}

// billedFor is the line whose whole time a credit takes back.
func billedFor(credit invoice.Line) invoice.Line {
	return invoice.Line{ID: "il_1", Amount: -credit.Amount, Rates: credit.Rates}
}

// A credit of a line with discounts is rounded before and after them; still no more goes back than is kept.
func TestAfforded_WithDiscounts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		billed := invoice.Line{ID: "il_1", Amount: money.Minor(rapid.Int64Range(1, 5000).Draw(t, "billed"))}
		for _, coupon := range []string{"a", "b"}[:rapid.IntRange(0, 2).Draw(t, "coupons")] {
			off := rapid.Int64Range(0, int64(billed.Net())).Draw(t, "off")
			billed.Discounts = append(billed.Discounts, invoice.Share{CouponID: coupon, Amount: money.Minor(off)})
		}
		worth := money.Minor(rapid.Int64Range(1, int64(billed.Amount)).Draw(t, "worth"))
		credit := invoice.Line{Kind: invoice.ProrationCredit}.TakeBack(billed, worth)
		net := money.Part(worth, 0, int64(billed.Net()), int64(billed.Amount))
		require.Equal(t, -net, credit.Net(), "round(worth × net ÷ amount)")
		for _, share := range billed.Discounts {
			require.GreaterOrEqual(t, share.Amount, -credit.Discounts.Of(share.CouponID))
			require.LessOrEqual(t, credit.Discounts.Of(share.CouponID), money.Minor(0))
		}
		kept := money.Minor(rapid.Int64Range(0, int64(billed.Amount)).Draw(t, "kept"))
		less, err := afforded(nil, credit, billed, -kept)
		require.NoError(t, err)
		require.GreaterOrEqual(t, less.Net(), -kept)
		require.GreaterOrEqual(t, less.Amount, credit.Amount)
		if net <= kept {
			require.Equal(t, credit, less)
		} else {
			require.InDelta(t, float64(-kept), float64(less.Net()), 1)
		}
	})
}

// All that is kept goes back, and no more, however taxes and discounts are rounded.
func TestAfforded_GivesAllThatIsKept(t *testing.T) {
	t.Parallel()
	vat := []tax.Rate{{ID: "txr_1", Name: "VAT", Percent: money.Whole(25)}}
	for name, c := range map[string]struct {
		billed       invoice.Line
		worth, kept  money.Minor
		amount, back money.Minor
	}{
		"taxes": {invoice.Line{Amount: 100, Rates: vat}, 100, 57, -46, -57}, // 46 and 12, bounded; 45 and 11 would be 56
		"discounts": {
			// 100 less 10 would be 90
			invoice.Line{Amount: 210, Discounts: invoice.Shares{{CouponID: "coup_1", Amount: 22}}}, 141, 89, -99, -89,
		},
	} {
		c.billed.ID = "il_1"
		credit := invoice.Line{Kind: invoice.ProrationCredit}.TakeBack(c.billed, c.worth)
		less, err := afforded(nil, credit, c.billed, -c.kept)
		require.NoError(t, err)
		require.Equal(t, c.amount, less.Amount, name)
		sums, err := invoice.Draft{
			Lines: []invoice.Line{less}, Creditable: invoice.Creditable{Total: c.kept, Tax: c.kept},
		}.Sums()
		require.NoError(t, err)
		require.Equal(t, c.back, sums.Total, name)
	}
}
