package totals_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

func dec(s string) money.Decimal {
	d, err := money.ParseDecimal(s)
	if err != nil {
		panic(err)
	}
	return d
}

func off(amount money.Minor, lines ...int) totals.Discount {
	return totals.Discount{Discount: discount.Discount{Amount: amount}, Lines: lines}
}

func percentOff(percent string, lines ...int) totals.Discount {
	return totals.Discount{Discount: discount.Discount{Percent: dec(percent)}, Lines: lines}
}

// TestOf_Examples are the examples of docs/rounding.md.
func TestOf_Examples(t *testing.T) {
	t.Parallel()
	vat, city := tax.Rate{Percent: dec("19")}, tax.Rate{Percent: dec("2.5")}
	contained := tax.Rate{Percent: dec("19"), Inclusive: true}
	for _, c := range []struct {
		name                                      string
		draft                                     totals.Draft
		subtotal, off, tax, contained, total, due money.Minor
		shares                                    []money.Minor
		taxes                                     []totals.TaxSum
	}{
		{
			"one tax",
			totals.Draft{Lines: []totals.Line{{999, []int{0}}, {999, []int{0}}, {999, []int{0}}}, Rates: []tax.Rate{vat}},
			2997, 0, 569, 0, 3566, 3566, []money.Minor{0, 0, 0}, []totals.TaxSum{{2997, 569}},
		},
		{
			"two taxes on the same base, rounded together",
			totals.Draft{Lines: []totals.Line{{1001, []int{0, 1}}}, Rates: []tax.Rate{vat, city}},
			1001, 0, 215, 0, 1216, 1216, []money.Minor{0}, []totals.TaxSum{{1001, 190}, {1001, 25}},
		},
		{
			"a tax that the price contains",
			totals.Draft{Lines: []totals.Line{{1190, []int{0}}, {500, nil}}, Rates: []tax.Rate{contained}},
			1690, 0, 0, 190, 1690, 1690, []money.Minor{0, 0}, []totals.TaxSum{{1000, 190}},
		},
		{
			"a contained tax and one that is added", totals.Draft{
				Lines: []totals.Line{{1190, []int{0, 1}}}, Rates: []tax.Rate{contained, {Percent: dec("10")}},
			},
			1190, 0, 100, 190, 1290, 1290, []money.Minor{0}, []totals.TaxSum{{1000, 190}, {1000, 100}},
		},
		{
			"a discount is shared in proportion", totals.Draft{
				Lines:     []totals.Line{{1000, []int{0}}, {2000, []int{0, 1}}},
				Rates:     []tax.Rate{{Percent: dec("10")}, {Percent: dec("12")}},
				Discounts: []totals.Discount{off(1000)},
			},
			3000, 1000, 360, 0, 2360, 2360, []money.Minor{333, 667}, []totals.TaxSum{{2000, 200}, {1333, 160}},
		},
		{
			"discounts one after another", totals.Draft{
				Lines: []totals.Line{{1000, nil}}, Discounts: []totals.Discount{percentOff("10"), off(100), percentOff("50")},
			},
			1000, 600, 0, 0, 400, 400, []money.Minor{600}, nil,
		},
		{
			"a discount of one line", totals.Draft{
				Lines: []totals.Line{{1000, nil}, {500, nil}}, Discounts: []totals.Discount{off(800, 1)},
			},
			1500, 500, 0, 0, 1000, 1000, []money.Minor{0, 500}, nil,
		},
		{
			"no line named", totals.Draft{
				Lines:     []totals.Line{{1000, nil}},
				Discounts: []totals.Discount{{Discount: discount.Discount{Amount: 5}, Lines: []int{}}},
			},
			1000, 0, 0, 0, 1000, 1000, []money.Minor{0}, nil,
		},
		{
			"credit last", totals.Draft{
				Lines: []totals.Line{{1000, []int{0}}}, Rates: []tax.Rate{vat}, Credit: 1100,
			},
			1000, 0, 190, 0, 1190, 90, []money.Minor{0}, []totals.TaxSum{{1000, 190}},
		},
		{
			"a credit line gives its tax back", totals.Draft{
				Lines: []totals.Line{{1000, []int{0}}, {-400, []int{0}}}, Rates: []tax.Rate{vat}, Credit: 10,
			},
			600, 0, 114, 0, 714, 704, []money.Minor{0, 0}, []totals.TaxSum{{600, 114}},
		},
		{
			"more given back than charged", totals.Draft{
				Lines: []totals.Line{{-400, []int{0}}}, Rates: []tax.Rate{vat}, Credit: 10,
			},
			-400, 0, -76, 0, -476, -476, []money.Minor{0}, []totals.TaxSum{{-400, -76}},
		},
		{"nothing", totals.Draft{Rates: []tax.Rate{vat}}, 0, 0, 0, 0, 0, 0, nil, []totals.TaxSum{{}}},
	} {
		got, err := totals.Of(c.draft)
		require.NoError(t, err, c.name)
		require.Equal(t, []money.Minor{c.subtotal, c.off, c.tax, c.contained, c.total, c.due},
			[]money.Minor{got.Subtotal, got.Discount, got.Tax, got.Contained, got.Total, got.Due}, c.name)
		var shares []money.Minor
		for _, line := range got.Lines {
			shares = append(shares, line.Discount)
		}
		require.Equal(t, c.shares, shares, c.name)
		require.Equal(t, c.taxes, got.Taxes, c.name)
	}
}

func TestOf_TooLarge(t *testing.T) {
	t.Parallel()
	_, err := totals.Of(totals.Draft{Lines: []totals.Line{{money.MaxMinor, nil}, {1, nil}}})
	require.ErrorContains(t, err, "amount_too_large")
	got, err := totals.Of(totals.Draft{
		Lines: []totals.Line{{money.MaxMinor, []int{0}}}, Rates: []tax.Rate{{Percent: dec("1")}},
	})
	require.NoError(t, err, "taxes stop no renewal")
	require.Equal(t, money.MaxMinor+10_000_000_000, got.Total)
}

// anyDraft has lines that are not negative, unless credits is set.
func anyDraft(credits bool) *rapid.Generator[totals.Draft] {
	return rapid.Custom(func(t *rapid.T) totals.Draft {
		var d totals.Draft
		for range rapid.IntRange(0, 3).Draw(t, "rates") {
			d.Rates = append(d.Rates, tax.Rate{
				Percent:   money.Whole(rapid.Int64Range(0, 3000).Draw(t, "hundredths of a percent")).Hundredth(),
				Inclusive: rapid.Bool().Draw(t, "inclusive"),
			})
		}
		least := int64(0)
		if credits {
			least = -5000
		}
		for range rapid.IntRange(1, 8).Draw(t, "lines") {
			line := totals.Line{Amount: money.Minor(rapid.Int64Range(least, 100_000).Draw(t, "amount"))}
			for r := range d.Rates {
				if rapid.Bool().Draw(t, "taxed") {
					line.Rates = append(line.Rates, r)
				}
			}
			d.Lines = append(d.Lines, line)
		}
		for range rapid.IntRange(0, 3).Draw(t, "discounts") {
			one := off(money.Minor(rapid.Int64Range(1, 50_000).Draw(t, "off")))
			if rapid.Bool().Draw(t, "percent") {
				one = totals.Discount{Discount: discount.Discount{Percent: money.Whole(rapid.Int64Range(1, 100).Draw(t, "%"))}}
			}
			if rapid.Bool().Draw(t, "limited") {
				one.Lines = rapid.SliceOfNDistinct(rapid.IntRange(0, len(d.Lines)-1), 0, len(d.Lines), rapid.ID).Draw(t, "to")
				if one.Lines == nil {
					one.Lines = []int{}
				}
			}
			d.Discounts = append(d.Discounts, one)
		}
		d.Credit = money.Minor(rapid.Int64Range(0, 200_000).Draw(t, "credit"))
		return d
	})
}

// TestOf_Identities: every sum holds to the minor unit.
func TestOf_Identities(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := anyDraft(rapid.Bool().Draw(t, "credits")).Draw(t, "draft")
		got, err := totals.Of(d)
		require.NoError(t, err)
		var lines, shares, discounts, added, contained money.Minor
		net := new(big.Rat)
		for i, line := range d.Lines {
			lines, shares = lines+line.Amount, shares+got.Lines[i].Discount
			net.Add(net, got.Lines[i].Net)
		}
		for _, one := range got.Discounts {
			discounts += one
		}
		for r, one := range got.Taxes {
			if d.Rates[r].Inclusive {
				contained += one.Amount
			} else {
				added += one.Amount
			}
		}
		require.Equal(t, got.Subtotal, lines)
		require.Equal(t, got.Discount, discounts)
		require.Equal(t, got.Discount, shares)
		require.Zero(t, net.Cmp(new(big.Rat).SetInt64(int64(got.Subtotal-got.Discount))), "exact nets sum to the whole")
		require.Equal(t, got.Tax, added)
		require.Equal(t, got.Contained, contained)
		require.Equal(t, got.Due, lines+added-discounts-got.Credit, "lines + tax - discounts - credit = total")
		require.LessOrEqual(t, got.Credit, d.Credit)
	})
}

// TestOf_NothingNegative where no line is: no share, no tax, no total; and no discount beyond its lines.
func TestOf_NothingNegative(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := anyDraft(false).Draw(t, "draft")
		got, err := totals.Of(d)
		require.NoError(t, err)
		for i, line := range d.Lines {
			require.GreaterOrEqual(t, got.Lines[i].Net.Sign(), 0)
			require.GreaterOrEqual(t, got.Lines[i].Discount, money.Minor(0))
			require.LessOrEqual(t, got.Lines[i].Discount, line.Amount)
		}
		for _, one := range got.Taxes {
			require.GreaterOrEqual(t, one.Amount, money.Minor(0))
		}
		require.LessOrEqual(t, got.Contained, got.Subtotal-got.Discount)
		require.GreaterOrEqual(t, got.Due, money.Minor(0))
	})
}

// TestOf_OrderOfLines: totals do not depend on the order in which lines came about.
func TestOf_OrderOfLines(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		d := anyDraft(true).Draw(t, "draft")
		got, err := totals.Of(d)
		require.NoError(t, err)
		order := rapid.Permutation(every(len(d.Lines))).Draw(t, "order")
		other, place := d, make([]int, len(order))
		other.Lines, other.Discounts = nil, nil
		for i, from := range order {
			other.Lines, place[from] = append(other.Lines, d.Lines[from]), i
		}
		for _, one := range d.Discounts {
			if one.Lines != nil {
				moved := []int{}
				for _, i := range one.Lines {
					moved = append(moved, place[i])
				}
				one.Lines = moved
			}
			other.Discounts = append(other.Discounts, one)
		}
		again, err := totals.Of(other)
		require.NoError(t, err)
		got.Lines, again.Lines = nil, nil // a share in minor units goes to the line that completes the unit
		require.Equal(t, got, again)
	})
}

func every(n int) []int {
	places := make([]int, n)
	for i := range places {
		places[i] = i
	}
	return places
}
