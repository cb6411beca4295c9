package metered_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

// fees is a percentage of payments with all options that depend on each.
var fees = rating.Price{Model: rating.Percentage, Percent: dec("2.5"), Transactions: rating.Transactions{
	Fee: dec("0.3"), Minimum: dec("0.5"), Maximum: dec("20"), Free: 2, FreeAmount: dec("150"),
}}

// counted answers the questions of spans from records, in the order of time, with any pages.
func counted(
	t require.TestingT, spans []metered.Span, from int, of usage.Metric, pages ...[]usage.Measured,
) ([]metered.Segment, error) {
	questions, err := metered.Questions(spans, from)
	require.NoError(t, err)
	var answers [][]usage.Totals
	for i := range questions {
		require.True(t, questions[i].ByTransaction())
		counter := questions[i].Counter(of)
		for _, page := range pages {
			if err := counter.Take(page); err != nil {
				return nil, err
			}
		}
		answers = append(answers, counter.Totals())
	}
	return metered.Segments(spans, from, questions, answers), nil
}

func TestOwed_ByTransaction(t *testing.T) {
	t.Parallel()
	c := metered.Component{ID: "price_1", MetricVersionID: "met_1", Rates: []metered.Rate{
		{Where: map[string]string{"tier": "card"}, By: []string{"region"}, Price: fees}, {Price: perUnit},
	}}
	card := func(id int, amount int64, day int, region string) usage.Measured {
		return record(regions, id, amount, start.AddDate(0, 0, day), usage.Properties{"tier": "card", "region": region})
	}
	correction := card(9, -400, 3, "eu")
	correction.Corrects = "4"
	gone := card(8, -7, 4, "eu")
	gone.Corrects = "5"
	segments, err := counted(t, []metered.Span{days(0, 30, pricesOf(c))}, 0, regions, []usage.Measured{
		card(1, 100, 0, "eu"), card(2, 80, 1, "eu"), card(3, 1000, 2, "eu"), card(4, 500, 3, "eu"), correction,
		card(5, 7, 4, "eu"), gone, card(6, 10, 5, "us"),
		record(regions, 7, 50, start.AddDate(0, 0, 6), usage.Properties{"tier": "cash"}),
	}, []usage.Measured{card(10, 1, 30, "eu")})
	require.NoError(t, err)

	owed, err := metered.Owed(segments, eur)

	require.NoError(t, err)
	require.Len(t, owed, 3)
	eu := owed[0]
	require.Equal(t, "1280", eu.Quantity.String(), "what was corrected to nothing has never come")
	var said []string
	for _, s := range eu.Steps {
		said = append(said, s.String())
	}
	require.Equal(t, []string{ // 100 and the first 50 of 80 are free; 1,000 cost 25.30, so 20
		"150 included", "2.5 % of 1130 = 28.25", "3 transactions × 0.3 = 0.9", "lowered by 5.3 to the maximum of each transaction",
	}, said)
	require.Equal(t, money.Minor(2385), eu.Amount)
	require.Equal(t, money.Minor(0), owed[1].Amount, "its own two are free")
	require.Equal(t, money.Minor(100), owed[2].Amount, "a price of the sum beside it")
}

// A price by transaction without any transactions has its minimum for the period, and no fee.
func TestOwed_ByTransactionWithoutAny(t *testing.T) {
	t.Parallel()
	price := fees
	price.Minimum = 300
	c := metered.Component{ID: "price_1", MetricVersionID: "met_1", Rates: []metered.Rate{{Price: price}}}
	segments, err := counted(t, []metered.Span{days(0, 30, pricesOf(c))}, 0, regions)
	require.NoError(t, err)
	owed, err := metered.Owed(segments, eur)
	require.Equal(t, money.Minor(300), total(t, owed, err))
	price.Minimum = 0
	c.Rates = []metered.Rate{{Price: price}}
	segments, err = counted(t, []metered.Span{days(0, 30, pricesOf(c))}, 0, regions)
	require.NoError(t, err)
	owed, err = metered.Owed(segments, eur)
	require.Equal(t, money.Minor(0), total(t, owed, err))
}

func TestCounter_TooManyTransactions(t *testing.T) {
	t.Parallel()
	c := metered.Component{MetricName: "calls", MetricVersionID: "met_1", Rates: []metered.Rate{{Price: fees}}}
	page := make([]usage.Measured, rating.MaxTransactions/10)
	for i := range page {
		page[i] = usage.Measured{ID: "x", At: start, Value: money.Whole(1)}
	}
	pages := slices.Repeat([][]usage.Measured{page}, 10)
	_, err := counted(t, []metered.Span{days(0, 30, pricesOf(c))}, 0, regions, pages...)
	require.NoError(t, err)
	_, err = counted(t, []metered.Span{days(0, 30, pricesOf(c))}, 0, regions, append(pages, page[:1])...)
	require.Equal(t, "metered_transactions_too_many", fault.From(err).Code)
}

// A count continues in another Counter of the same question, and in no others.
func TestCounter_Resume(t *testing.T) {
	t.Parallel()
	c := metered.Component{ID: "price_1", MetricVersionID: "met_1", Rates: []metered.Rate{
		{By: []string{"region"}, Price: fees},
	}}
	begin := func(periods ...metered.Span) *metered.Counter {
		questions, err := metered.Questions(periods, 0)
		require.NoError(t, err)
		require.Len(t, questions, 1)
		return questions[0].Counter(regions)
	}
	two := []metered.Span{days(0, 10, pricesOf(c)), days(10, 30, pricesOf(c))}
	page := func(day int) []usage.Measured {
		at := start.AddDate(0, 0, day)
		return []usage.Measured{
			record(regions, day, 100, at, usage.Properties{"region": "eu"}),
			record(regions, day+100, 30, at, usage.Properties{"region": "us"}),
		}
	}
	once := begin(two...)
	require.Zero(t, once.States())
	require.NoError(t, once.Take(page(1)))
	require.Equal(t, 2, once.States(), "two regions in the first period")
	kept, err := once.Keep()
	require.NoError(t, err)
	require.NoError(t, once.Take(page(11)))
	require.Equal(t, 4, once.States())

	again := begin(two...)
	require.NoError(t, again.Resume(kept))
	require.Equal(t, 2, again.States())
	require.NoError(t, again.Take(page(11)))
	said := func(c *metered.Counter) (all []string) {
		for i, totals := range c.Totals() {
			for _, q := range totals {
				all = append(all, fmt.Sprint(i, " ", q.Group, " ", q.Value, " ", q.Records))
			}
		}
		return all
	}
	require.Equal(t, []string{
		`0 0 ["eu"] 100 1`, `0 0 ["us"] 30 1`, `1 0 ["eu"] 100 1`, `1 0 ["us"] 30 1`,
	}, said(again))
	require.Equal(t, said(once), said(again))

	for name, text := range map[string]string{
		"no JSON":              `{`,
		"one period":           `{"records": [0], "tallies": [{}]}`,
		"records of one":       `{"records": [0], "tallies": [{}, {}]}`,
		"tallies of one":       `{"records": [0, 0], "tallies": [{}]}`,
		"a tally that is none": `{"records": [0, 0], "tallies": [{"0 ": []}, {}]}`,
	} {
		other := begin(two...)
		require.Error(t, other.Resume([]byte(text)), name)
	}
}

// For any transactions, the cost of segments equals a recount of all records without the arithmetic of the rules, and
// the free units of a period's parts sum to those of the whole.
func TestOwed_ByTransactionIsARecount(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		price := rating.Price{Model: rating.Percentage, Percent: dec(rapid.SampledFrom([]string{"0", "1.5", "33"}).Draw(t, "percent"))}
		price.Transactions = rating.Transactions{
			Fee: dec(rapid.SampledFrom([]string{"0", "0.3", "0.007"}).Draw(t, "fee")), Free: rapid.IntRange(0, 6).Draw(t, "free"),
			Minimum: dec(rapid.SampledFrom([]string{"0", "0.4"}).Draw(t, "least")),
			Maximum: dec(rapid.SampledFrom([]string{"0", "0.5", "7"}).Draw(t, "most")),
		}
		c := metered.Component{ID: "price_1", MetricVersionID: "met_1", Rates: []metered.Rate{{Price: price}}}
		cut := rapid.IntRange(1, 29).Draw(t, "cut")
		spans := []metered.Span{days(0, cut, pricesOf(c)), days(cut, 30, pricesOf(c))}
		spans[0].Share = metered.Share{Span: proration.Span{From: 0, To: int64(cut), Length: 30}}
		spans[1].Share = metered.Share{Span: proration.Span{From: int64(cut), To: 30, Length: 30}}
		var records []usage.Measured
		left := []map[string]int64{{}, {}}
		var order [2][]string
		for i := range rapid.IntRange(0, 20).Draw(t, "records") {
			day := rapid.IntRange(0, 29).Draw(t, "day")
			amount := rapid.Int64Range(0, 40).Draw(t, "amount")
			one := record(regions, i, amount, start.AddDate(0, 0, day).Add(time.Duration(i)*time.Second), nil)
			records = append(records, one)
			if taken := rapid.Int64Range(0, amount).Draw(t, "correction"); rapid.Bool().Draw(t, "corrected") && taken > 0 {
				less := one
				less.ID, less.Corrects, less.Value = "c"+one.ID, one.ID, money.Whole(-taken)
				records, amount = append(records, less), amount-taken
				if amount == 0 {
					continue
				}
			}
			part := 0
			if day >= cut {
				part = 1
			}
			left[part][one.ID] = amount
		}
		slices.SortStableFunc(records, func(a, b usage.Measured) int { return a.At.Compare(b.At) })
		for _, r := range records {
			for part := range left {
				if _, counts := left[part][r.ID]; counts {
					order[part] = append(order[part], r.ID)
				}
			}
		}
		segments, err := counted(t, spans, 0, regions, records)
		require.NoError(t, err)
		owed, err := metered.Owed(segments, eur)
		require.NoError(t, err)
		require.Len(t, owed, 2)
		whole := int64(price.Transactions.Free)
		for part, free := range []int64{whole * int64(cut) / 30, whole - whole*int64(cut)/30} {
			want := new(big.Rat)
			for n, id := range order[part] {
				if int64(n) >= free {
					want.Add(want, costOf(left[part][id], price))
				}
			}
			twice := new(big.Rat).Mul(want, big.NewRat(200, 1)) // of minor units
			require.Equal(t, new(big.Int).Quo(new(big.Int).Add(twice.Num(), twice.Denom()), new(big.Int).Lsh(twice.Denom(), 1)).Int64(),
				int64(owed[part].Amount))
		}
	})
}

// costOf returns the cost of one transaction that is not free.
func costOf(amount int64, p rating.Price) *big.Rat {
	number := func(d money.Decimal) *big.Rat {
		n, _ := new(big.Rat).SetString(d.String())
		return n
	}
	cost := new(big.Rat).Mul(big.NewRat(amount, 100), number(p.Percent))
	cost.Add(cost, number(p.Transactions.Fee))
	if least := number(p.Transactions.Minimum); least.Sign() > 0 && cost.Cmp(least) < 0 {
		cost = least
	}
	if most := number(p.Transactions.Maximum); most.Sign() > 0 && cost.Cmp(most) > 0 {
		cost = most
	}
	return cost
}
