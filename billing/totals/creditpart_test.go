package totals_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

func TestCreditPart_ByHand(t *testing.T) {
	t.Parallel()
	ten := []tax.Rate{{Percent: dec("10")}}
	taxed := totals.Draft{Lines: []totals.Line{{1000, []int{0}}, {500, nil}}, Rates: ten} // 1500 and 100 tax
	for _, c := range []struct {
		name   string
		draft  totals.Draft
		amount money.Minor
		items  []totals.Item
		want   totals.Note
	}{
		{
			"half of 1600 is half of each line and of the tax", taxed, 800, []totals.Item{{0, 500}, {1, 250}},
			totals.Note{Net: 750, Tax: 50, Taxes: []totals.TaxSum{{500, 50}}, Total: 800},
		},
		{
			"all of it", taxed, 1600, []totals.Item{{0, 1000}, {1, 500}},
			totals.Note{Net: 1500, Tax: 100, Taxes: []totals.TaxSum{{1000, 100}}, Total: 1600},
		},
		{
			"one unit is less than a unit of any line or tax: the last one has it", taxed, 1, []totals.Item{{1, 1}},
			totals.Note{Net: 1, Taxes: []totals.TaxSum{{}}, Total: 1},
		},
		{
			"half of 1000 - 600 is 200 of the line, of which the credit has used 600",
			totals.Draft{Lines: []totals.Line{{1000, nil}, {-600, nil}}}, 200, []totals.Item{{0, 200}},
			totals.Note{Net: 200, Taxes: []totals.TaxSum{}, Total: 200},
		},
		{
			"half of 1000 - 100 is 500 of the line and half of its discount; a line of nothing is no credit",
			totals.Draft{Lines: []totals.Line{{1000, nil}, {0, nil}}, Discounts: []totals.Discount{off(100, 0)}}, 450,
			[]totals.Item{{0, 500}},
			totals.Note{Discount: 50, Net: 450, Taxes: []totals.TaxSum{}, Total: 450},
		},
	} {
		items, note, err := totals.CreditPart(c.draft, c.amount, totals.Credited{})
		require.NoError(t, err, c.name)
		require.Equal(t, c.items, items, c.name)
		require.Equal(t, c.want, note, c.name)
	}
	for _, amount := range []money.Minor{-1, 0, 1601} {
		_, _, err := totals.CreditPart(taxed, amount, totals.Credited{})
		require.ErrorContains(t, err, "credit_exceeds_invoice", amount)
		require.Contains(t, fault.From(err).Detail, "1600 minor units are left", amount)
	}
}

// TestCreditPart_LinesSumToTheNet gives an invoice back in parts: the lines of each note sum to its net, so do the bases of
// a tax that all of them have, and all notes together are the invoice.
func TestCreditPart_LinesSumToTheNet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		vat := tax.Rate{Percent: dec(rapid.SampledFrom([]string{"19", "7.7", "25", "0.5"}).Draw(t, "percent"))}
		d := totals.Draft{Rates: []tax.Rate{vat}}
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			amount := money.Minor(rapid.Int64Range(1, 5000).Draw(t, "amount"))
			d.Lines = append(d.Lines, totals.Line{Amount: amount, Rates: []int{0}})
		}
		sums, err := totals.Of(d)
		require.NoError(t, err)
		before := totals.Credited{Lines: make([]money.Minor, len(d.Lines)), Taxes: make([]totals.TaxSum, 1)}
		for {
			left, err := totals.Left(d, before)
			require.NoError(t, err)
			if left == 0 {
				break
			}
			part := min(left, money.Minor(rapid.Int64Range(1, 3000).Draw(t, "part")))
			items, note, err := totals.CreditPart(d, part, before)
			require.NoError(t, err)
			var lines money.Minor
			for _, i := range items {
				require.Positive(t, i.Amount)
				lines += i.Amount
				before.Lines[i.Line] += i.Amount
				require.LessOrEqual(t, before.Lines[i.Line], d.Lines[i.Line].Amount)
			}
			require.Equal(t, note.Net, lines)
			require.Equal(t, note.Net, note.Taxes[0].Base)
			require.Equal(t, []money.Minor{part, note.Tax}, []money.Minor{note.Total, note.Taxes[0].Amount})
			require.Equal(t, part, note.Net+note.Tax)
			before.Net, before.Tax = before.Net+note.Net, before.Tax+note.Tax
			before.Taxes[0].Base, before.Taxes[0].Amount = before.Taxes[0].Base+note.Net, before.Taxes[0].Amount+note.Tax
		}
		require.Equal(t, []money.Minor{sums.Subtotal, sums.Tax}, []money.Minor{before.Net, before.Tax})
		for i, l := range d.Lines {
			require.Equal(t, l.Amount, before.Lines[i])
		}
	})
}

// TestCreditPart_LastHasTheRestOfTheTaxes: 1000 contains 19 %: 840.34 and 159.66, shown as 840 and 160. 500 have 10 %
// added. A fiftieth of 1550 is 20 and 10, in which are 20/1.19 = 16.81 with 3.19, and 1 tax. The last note has the rest
// of each: 823 and 157, where 980/1.19 = 823.53 would have 156.47.
func TestCreditPart_LastHasTheRestOfTheTaxes(t *testing.T) {
	t.Parallel()
	d := totals.Draft{
		Lines: []totals.Line{{1000, []int{0}}, {500, []int{1}}},
		Rates: []tax.Rate{{Percent: dec("19"), Inclusive: true}, {Percent: dec("10")}},
	}
	items, note, err := totals.CreditPart(d, 31, totals.Credited{})
	require.NoError(t, err)
	require.Equal(t, []totals.Item{{0, 20}, {1, 10}}, items)
	require.Equal(t, totals.Note{Net: 30, Tax: 1, Taxes: []totals.TaxSum{{17, 3}, {10, 1}}, Total: 31}, note)

	before := totals.Credited{Lines: []money.Minor{20, 10}, Net: note.Net, Tax: note.Tax, Taxes: note.Taxes}
	left, err := totals.Left(d, before)
	require.NoError(t, err)
	require.Equal(t, money.Minor(1519), left)
	items, note, err = totals.CreditPart(d, left, before)
	require.NoError(t, err)
	require.Equal(t, []totals.Item{{0, 980}, {1, 490}}, items)
	require.Equal(t, totals.Note{Net: 1470, Tax: 49, Taxes: []totals.TaxSum{{823, 157}, {490, 49}}, Total: 1519}, note)
}

// TestCreditNote_TaxGoesWhereThereIsRoom: 50 have 5 of each of three taxes. Earlier notes left 2, 1 and 100 of them, so
// the third has the other 12.
func TestCreditNote_TaxGoesWhereThereIsRoom(t *testing.T) {
	t.Parallel()
	ten := tax.Rate{Percent: dec("10")}
	d := totals.Draft{Lines: []totals.Line{{1000, []int{0, 1, 2}}}, Rates: []tax.Rate{ten, ten, ten}}
	note, err := totals.CreditNote(d, []totals.Item{{0, 50}}, totals.Credited{
		Lines: []money.Minor{900}, Net: 900, Tax: 197, Taxes: []totals.TaxSum{{900, 98}, {900, 99}, {900, 0}},
	})
	require.NoError(t, err)
	require.Equal(t, []totals.TaxSum{{50, 2}, {50, 1}, {50, 12}}, note.Taxes)
}

// TestCredited_With: time taken back of two lines, 300 and 100 with 10 %, is 400 and 40.
func TestCredited_With(t *testing.T) {
	t.Parallel()
	d := totals.Draft{Lines: []totals.Line{{1000, []int{0}}, {500, []int{0}}}, Rates: []tax.Rate{{Percent: dec("10")}}}
	before := totals.Credited{Lines: make([]money.Minor, 2), Taxes: make([]totals.TaxSum, 1)}
	got := before.With(d, totals.Item{Line: 0, Amount: 300}).With(d, totals.Item{Line: 1, Amount: 100})
	require.Equal(t, totals.Credited{
		Lines: []money.Minor{300, 100}, Net: 400, Tax: 40, Taxes: []totals.TaxSum{{400, 40}},
	}, got)
}
