package rating_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/tax"
	"perennial/billing/totals"
	"perennial/billing/usage"
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
	requireMetered(t, p)
	return p, c
}

// requireMetered: a percentage counts since a plan can have it as a price of usage.
func requireMetered(t *testing.T, p rating.Price) {
	t.Helper()
	sum := usage.Metric{
		ID: "met_1", Version: 1, Name: "amounts", Active: true, Definition: usage.Definition{Aggregation: usage.Sum},
	}
	require.NoError(t, metered.Component{MetricName: sum.Name, Rates: []metered.Rate{{Price: p}}}.Validate(sum))
	require.NoError(t, metered.Prices{
		Components: []metered.Component{{MetricName: sum.Name, Rates: []metered.Rate{{Price: p}}}},
	}.Check())
}

// withTax is a result without and with an added tax.
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
// totals of the first ones, the next one gets the rest, and the others are 0: without bounds on single transactions
// this makes no difference.
//
// Where none is free it also rates by prices that the API creates, in fees or by transaction.
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
	if in.Count > 0 {
		require.Len(t, amounts, int(in.Count), "each transaction has an amount")
	}
	price, c := in.priced(t)
	got, err := price.RateTransactions(amounts, c)
	require.NoError(t, err)
	require.Zero(t, in.Units.Cmp(got.Quantity), "the units are the sum of the transactions")
	want.check(t, in.Tax, got)
}

// checkDynamic adds up the amounts of events, as a metric of that property would; one unit costs one.
func checkDynamic(t *testing.T, in struct {
	Model   string
	Amounts []money.Decimal `json:"event_amounts_minor"`
	Units   money.Decimal   // which cost nothing
	Tax     money.Decimal   `json:"tax_rate_percent"`
}, want withTax) {
	require.Equal(t, "dynamic", in.Model)
	const c = money.Currency("EUR")
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	metric := usage.Metric{
		ID: "met_1", Version: 1, Name: "m", Active: true,
		Definition: usage.Definition{Aggregation: usage.Sum, Property: "amount"},
	}
	require.NoError(t, metric.Validate())
	var measured []usage.Measured
	for i, amount := range in.Amounts {
		one, counts := metric.Measure(usage.Record{
			ID: strconv.Itoa(i), At: at, Quantity: money.Whole(1), Properties: usage.Properties{"amount": amount.String()},
		})
		require.True(t, counts)
		measured = append(measured, one)
	}
	sum := money.Whole(0)
	for _, q := range metric.Series([]usage.Span{{Start: at, End: at.AddDate(0, 1, 0)}}, nil, nil, measured)[0] {
		sum = q.Value
	}
	price := rating.Price{Model: rating.PerUnit, UnitPrice: money.Units(1, c)}
	require.NoError(t, price.Validate())
	got, err := price.Rate(sum, c)
	require.NoError(t, err)
	want.check(t, in.Tax, got)
}
