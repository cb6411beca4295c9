package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

type transactionsInput struct {
	parameters
	Units      money.Decimal
	Fee        money.Decimal `json:"fixed_per_event"`
	Least      money.Decimal `json:"min_per_event"`
	Most       money.Decimal `json:"max_per_event"`
	Count      int64         `json:"event_count"`
	One        bool          `json:"single_event"`
	FreeEvents int           `json:"free_events"`
	FreeAmount money.Decimal `json:"free_amount"`
	Events     []money.Decimal
	Totals     []money.Decimal `json:"running_totals"`
	Tax        money.Decimal   `json:"tax_rate_percent"`
}

func (in transactionsInput) priced(t *testing.T) (rating.Price, money.Currency) {
	t.Helper()
	p, c := in.price(t)
	p.Transactions = rating.Transactions{
		Fee: in.Fee, Minimum: in.Least, Maximum: in.Most, Free: in.FreeEvents, FreeAmount: in.FreeAmount,
	}
	require.NoError(t, p.Validate())
	return p, c
}

// withTax is a result and what it is with a tax that is added.
type withTax struct {
	result
	WithTax *money.Minor `json:"with_tax"`
}

func (want withTax) check(t *testing.T, rate money.Decimal, got rating.Rated) {
	t.Helper()
	want.result.check(t, got)
	if want.WithTax != nil {
		require.Equal(t, *want.WithTax, taxed(t, got.Amount, rate))
	}
}

// taxed is the total of an invoice with this amount.
func taxed(t *testing.T, amount money.Minor, rate money.Decimal) money.Minor {
	t.Helper()
	sums, err := totals.Of(totals.Draft{
		Lines: []totals.Line{{Amount: amount, Rates: []int{0}}}, Rates: []tax.Rate{{Percent: rate}},
	})
	require.NoError(t, err)
	return sums.Total
}

func checkOneTransaction(t *testing.T, in transactionsInput, want result) {
	require.True(t, in.One)
	require.EqualValues(t, 1, in.Count)
	price, c := in.priced(t)
	got, err := price.Rate(in.Units, c)
	require.NoError(t, err)
	want.check(t, got)
}

// checkTransactions gives the transactions their amounts. Where the case has only a sum, a number and the running
// totals of the first ones, the next takes what is left, and the others are of zero: no rule without bounds of single
// transactions can tell the difference.
func checkTransactions(t *testing.T, in transactionsInput, want withTax) {
	amounts := in.Events
	if amounts == nil {
		require.False(t, in.Least.IsGiven() || in.Most.IsGiven(), "bounds of single transactions need their amounts")
		before := money.Whole(0)
		for _, total := range in.Totals {
			amounts, before = append(amounts, total.Sub(before)), total
		}
		for next := in.Units; int64(len(amounts)) < in.Count; next = before {
			amounts = append(amounts, next.Sub(before))
		}
	}
	price, c := in.priced(t)
	got, err := price.RateTransactions(amounts, c)
	require.NoError(t, err)
	require.Zero(t, in.Units.Cmp(got.Quantity), "the units are the sum of the transactions")
	want.check(t, in.Tax, got)
}
