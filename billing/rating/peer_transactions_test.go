package rating_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/tax"
	"perennial/billing/totals"
	"perennial/billing/usage"
	"perennial/internal/testkit/peercases"
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

// checkOneTransaction also rates by a price that the API creates: a rate that is divided by transaction prices each one
// by itself, so that its minimum and maximum are those of one.
func checkOneTransaction(t *testing.T, in transactionsInput, want result) {
	require.True(t, in.One)
	require.EqualValues(t, 1, in.Count)
	for _, priced := range []func(*testing.T) (rating.Price, money.Currency){in.priced, in.each} {
		price, c := priced(t)
		got, err := price.Rate(in.Units, c)
		require.NoError(t, err)
		want.check(t, got)
	}
}

// each is the price of one transaction in the vocabulary of metered prices: one tier with the fee as its flat amount.
func (in transactionsInput) each(t *testing.T) (rating.Price, money.Currency) {
	t.Helper()
	c := currency(t, in.Fee, in.Least, in.Most)
	minor := func(d money.Decimal) money.Minor {
		m, err := d.Round(c)
		require.NoError(t, err)
		return m
	}
	p := rating.Price{
		Model:   rating.Graduated,
		Tiers:   []rating.Tier{{UnitPrice: in.Rate.Hundredth(), FlatAmount: minor(in.Fee)}},
		Minimum: minor(in.Least), Maximum: minor(in.Most),
	}
	require.NoError(t, p.Validate())
	return p, c
}

// checkTransactions gives the transactions their amounts. Where the case has only a sum, a number and the running
// totals of the first ones, the next takes what is left, and the others are of zero: no rule without bounds of single
// transactions can tell the difference.
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
	if !in.frees() {
		want.check(t, in.Tax, in.metered(t, amounts))
	}
}

// metered rates transactions of which none is free by prices that the API creates.
func (in transactionsInput) metered(t *testing.T, amounts []money.Decimal) (sum rating.Rated) {
	t.Helper()
	add := func(p rating.Price, units money.Decimal, c money.Currency) {
		require.NoError(t, p.Validate())
		got, err := p.Rate(units, c)
		require.NoError(t, err)
		sum.Exact, sum.Amount = sum.Exact.Add(got.Exact), sum.Amount+got.Amount
	}
	if in.Least.IsGiven() || in.Most.IsGiven() {
		for _, amount := range amounts {
			p, c := in.each(t)
			add(p, amount, c)
		}
		return sum
	}
	c := currency(t)
	add(rating.Price{Model: rating.PerUnit, UnitPrice: in.Rate.Hundredth()}, in.Units, c)
	if in.Fee.IsGiven() { // for each that a metric of the aggregation count counts
		add(rating.Price{Model: rating.PerUnit, UnitPrice: in.Fee}, money.Whole(int64(len(amounts))), c)
	}
	return sum
}

func (in transactionsInput) frees() bool { return in.FreeEvents > 0 || in.FreeAmount.Sign() > 0 }

// frees finds what only a percentage can charge, which no API call creates.
func frees(c peercases.Case) bool {
	var in transactionsInput
	return c.Kind == "percentage" && json.Unmarshal(c.Input, &in) == nil && in.frees()
}

// alike is a price, and where it is a percentage also one that the API creates, for which the case counts: a percentage
// of an amount is a price for each unit of it.
func alike(t *testing.T, p rating.Price) []rating.Price {
	t.Helper()
	other := p
	switch p.Model {
	case rating.Percentage:
		require.Zero(t, p.Transactions)
		other.Model, other.UnitPrice, other.Percent = rating.PerUnit, p.Percent.Hundredth(), money.Decimal{}
	case rating.GraduatedPercentage:
		other.Model, other.Tiers = rating.Graduated, slices.Clone(p.Tiers)
		for i := range other.Tiers {
			other.Tiers[i].UnitPrice, other.Tiers[i].Percent = p.Tiers[i].Percent.Hundredth(), money.Decimal{}
		}
	default:
		return []rating.Price{p}
	}
	require.NoError(t, other.Validate())
	return []rating.Price{p, other}
}

// checkDynamic passes the amounts of events on: a metric adds up that property, of which one unit costs one.
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
