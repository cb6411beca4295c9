package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
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

func checkOneTransaction(t *testing.T, in transactionsInput, want result) {
	require.True(t, in.One)
	require.EqualValues(t, 1, in.Count)
	price, c := in.priced(t)
	got, err := price.Rate(in.Units, c)
	require.NoError(t, err)
	want.check(t, got)
}

// checkTransactions gives the transactions their amounts. Where the case has only a sum, a number and the running totals
// of the first ones, the next takes what is left, and the others are of zero: no rule without bounds of single
// transactions can tell the difference.
func checkTransactions(t *testing.T, in transactionsInput, want result) {
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
	want.check(t, got)
}
