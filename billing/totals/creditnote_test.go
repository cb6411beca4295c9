package totals_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

// TestCreditNote_LastTakesTheRest is the example of docs/rounding.md.
func TestCreditNote_LastTakesTheRest(t *testing.T) {
	t.Parallel()
	d := totals.Draft{
		Lines: []totals.Line{{1000, []int{0}}}, Rates: []tax.Rate{{Percent: dec("10")}},
		Discounts: []totals.Discount{off(100)},
	} // 1000 - 100 + 90 = 990
	tax30 := []totals.TaxSum{{Base: 300, Amount: 30}}
	var before totals.Credited
	for _, c := range []struct {
		amount money.Minor
		want   totals.Note
	}{
		{333, totals.Note{Discount: 33, Net: 300, Tax: 30, Taxes: tax30, Total: 330}},
		{333, totals.Note{Discount: 33, Net: 300, Tax: 30, Taxes: tax30, Total: 330}},
		{334, totals.Note{Discount: 34, Net: 300, Tax: 30, Taxes: tax30, Total: 330}},
	} {
		got, err := totals.CreditNote(d, []totals.Item{{Line: 0, Amount: c.amount}}, before)
		require.NoError(t, err)
		require.Equal(t, c.want, got)
		before = totals.Credited{
			Lines: []money.Minor{c.amount + first(before.Lines)}, Net: before.Net + got.Net, Tax: before.Tax + got.Tax,
			Taxes: []totals.TaxSum{{Base: before.Net + got.Net, Amount: before.Tax + got.Tax}},
		}
	}
	_, err := totals.CreditNote(d, []totals.Item{{Line: 0, Amount: 1}}, before)
	require.ErrorContains(t, err, "credit_exceeds_line")
}

func first(amounts []money.Minor) money.Minor {
	if len(amounts) == 0 {
		return 0
	}
	return amounts[0]
}

func TestCreditNote_Refuses(t *testing.T) {
	t.Parallel()
	d := totals.Draft{Lines: []totals.Line{{1000, nil}, {-10, nil}}}
	for _, items := range [][]totals.Item{
		{{Line: 0, Amount: 1001}}, {{Line: 0, Amount: 0}}, {{Line: 0, Amount: -1}}, {{Line: 1, Amount: 1}},
		{{Line: 2, Amount: 1}}, {{Line: -1, Amount: 1}}, {{Line: 0, Amount: 600}, {Line: 0, Amount: 401}},
	} {
		_, err := totals.CreditNote(d, items, totals.Credited{})
		require.ErrorContains(t, err, "credit_exceeds_line", "%v", items)
	}
}

// TestCreditNote_AllNotesAreTheInvoice credits any parts in any order until nothing is left.
func TestCreditNote_AllNotesAreTheInvoice(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := anyDraft(false).Draw(t, "draft")
		sums, err := totals.Of(d)
		require.NoError(t, err)
		before, total := totals.Credited{Lines: make([]money.Minor, len(d.Lines))}, money.Minor(0)
		for {
			line := pick(t, d, before.Lines)
			if line < 0 {
				break
			}
			left := d.Lines[line].Amount - before.Lines[line]
			amount := min(left, money.Minor(rapid.Int64Range(1, 50_000).Draw(t, "credit")))
			note, err := totals.CreditNote(d, []totals.Item{{Line: line, Amount: amount}}, before)
			require.NoError(t, err)
			require.GreaterOrEqual(t, note.Net, money.Minor(0))
			require.GreaterOrEqual(t, note.Tax, money.Minor(0))
			require.Equal(t, note.Total, note.Net+note.Tax)
			before.Lines[line] += amount
			before.Net += note.Net
			before.Tax += note.Tax
			total += note.Total
			require.LessOrEqual(t, total, sums.Total, "notes never exceed the invoice")
		}
		if sums.Subtotal > 0 {
			require.Equal(t, sums.Total, total)
		}
	})
}

// pick draws a line with a rest; -1 if there is none.
func pick(t *rapid.T, d totals.Draft, credited []money.Minor) int {
	var open []int
	for i, line := range d.Lines {
		if line.Amount > credited[i] {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		return -1
	}
	return rapid.SampledFrom(open).Draw(t, "line")
}
