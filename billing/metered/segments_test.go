package metered_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/usage"
)

// segmentsOf counts spans from one on, with all metric versions and the records of each.
func segmentsOf(
	t require.TestingT, spans []metered.Span, from int, metrics map[string]usage.Metric, records map[string][]usage.Measured,
) []metered.Segment {
	questions, err := metered.Questions(spans, from)
	require.NoError(t, err)
	var answers [][]usage.Totals
	for _, q := range questions {
		id := q.Component.MetricVersionID
		of, known := metrics[id]
		require.True(t, known, id)
		totals, err := of.SeriesBy(q.Periods, q.Component.Lots(of).Of, nil, records[id])
		require.NoError(t, err)
		answers = append(answers, totals)
	}
	return metered.Segments(spans, from, questions, answers)
}

func pricesOf(components ...metered.Component) *metered.Prices {
	return &metered.Prices{Components: components}
}

// days returns a span of days in March, counted from 0.
func days(from, to int, p *metered.Prices) metered.Span {
	return metered.Span{
		Start: start.AddDate(0, 0, from), End: start.AddDate(0, 0, to), PeriodLength: 30 * 24 * time.Hour, Prices: p,
	}
}

func TestQuestions_OnePerWayOfCounting(t *testing.T) {
	t.Parallel()
	one := func(id, version string, by ...string) metered.Component {
		return metered.Component{ID: id, MetricVersionID: version, Rates: []metered.Rate{{By: by, Price: perUnit}}}
	}
	cumulated := one("c", "met_1")
	cumulated.Cumulated = true
	for _, c := range []struct {
		name  string
		spans []metered.Span
		from  int
		want  []string // component, and periods by their days; w: weighted
	}{
		{"no spans", nil, 0, nil},
		{"no prices", []metered.Span{days(0, 9, nil)}, 0, nil},
		{"nothing is asked", []metered.Span{days(0, 9, pricesOf(one("a", "met_1")))}, 1, nil},
		{"a gap is no period", []metered.Span{
			days(0, 2, pricesOf(one("a", "met_1"))), days(3, 5, nil), days(6, 9, pricesOf(one("b", "met_1"))),
		}, 0, []string{"a 0-2w 6-9w"}},
		{"spans before", []metered.Span{
			days(0, 2, pricesOf(one("a", "met_1"))), days(2, 5, pricesOf(one("a", "met_1"))),
		}, 1, []string{"a 2-5w"}},
		{"other versions and other lots", []metered.Span{
			days(0, 2, pricesOf(one("a", "met_1"), one("b", "met_1.2"))),
			days(2, 5, pricesOf(one("c", "met_1", "region"), one("d", "met_1", "region"), one("b", "met_1"))),
		}, 0, []string{"a 0-2w 2-5w", "b 0-2w", "c 2-5w"}},
		{"cumulated: earlier spans together, but for a gap", []metered.Span{
			days(0, 1, pricesOf(cumulated)), days(1, 2, pricesOf(cumulated)), days(3, 4, pricesOf(cumulated)),
			days(4, 5, pricesOf(one("a", "met_1"))), days(5, 6, pricesOf(cumulated, one("a", "met_1"))),
			days(6, 7, pricesOf(cumulated)), days(7, 8, pricesOf(one("a", "met_1"))),
		}, 5, []string{"c 0-2 3-4 5-6 6-7w", "a 7-8w"}},
	} {
		questions, err := metered.Questions(c.spans, c.from)
		require.NoError(t, err, c.name)
		var got []string
		for _, q := range questions {
			said := q.Component.ID
			for _, p := range q.Periods {
				day := func(at time.Time) int { return int(at.Sub(start).Hours() / 24) }
				said += fmt.Sprintf(" %d-%d", day(p.Start), day(p.End))
				if p.Weight == 30*24*time.Hour {
					said += "w"
				}
			}
			got = append(got, said)
		}
		require.Equal(t, c.want, got, c.name)
	}
	for _, spans := range [][]metered.Span{
		{days(2, 2, nil)}, {days(3, 2, nil)}, {days(0, 3, nil), days(2, 4, nil)}, {days(4, 5, nil), days(2, 3, nil)},
	} {
		_, err := metered.Questions(spans, 0)
		require.Error(t, err)
	}
}

// For any sequence of prices and gaps, each segment has the quantities of a recount of its records, one by one.
func TestSegments_EqualRecount(t *testing.T) {
	t.Parallel()
	users := usage.Metric{ID: "met_2", Version: 1, Definition: usage.Definition{
		Aggregation: usage.UniqueCount, KeyProperty: "user", GroupBy: []string{"region", "tier"},
	}}
	metrics := map[string]usage.Metric{"met_1": regions, "met_2": users}
	gold := map[string]string{"tier": "gold"}
	rapid.Check(t, func(t *rapid.T) {
		calls := metered.Component{ID: "calls", MetricVersionID: "met_1", Cumulated: true, Rates: []metered.Rate{
			{Where: gold, Price: perUnit}, {By: []string{"region"}, Price: perUnit},
		}}
		people := metered.Component{ID: "people", MetricVersionID: "met_2", Rates: []metered.Rate{{Where: gold, Price: perUnit}}}
		choices := []*metered.Prices{nil, pricesOf(calls), pricesOf(calls, people), pricesOf(people)}
		var spans []metered.Span
		for at := rapid.IntRange(0, 2).Draw(t, "start"); at < 28; {
			end := rapid.IntRange(at+1, 28).Draw(t, "end")
			spans = append(spans, days(at, end, rapid.SampledFrom(choices).Draw(t, "prices")))
			at = end + max(rapid.IntRange(-4, 3).Draw(t, "gap"), 0)
		}
		type reported struct {
			at                 time.Time
			user, region, tier string
			quantity           int64
		}
		var all []reported
		records := map[string][]usage.Measured{}
		for i := range rapid.IntRange(0, 30).Draw(t, "records") {
			r := reported{
				start.Add(time.Duration(rapid.IntRange(0, 30*24).Draw(t, "hour")) * time.Hour),
				rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "user"),
				rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "region"), rapid.SampledFrom([]string{"gold", "free"}).Draw(t, "tier"),
				rapid.Int64Range(1, 9).Draw(t, "quantity"),
			}
			all = append(all, r)
			p := usage.Properties{"user": r.user, "region": r.region, "tier": r.tier}
			for id, m := range metrics {
				records[id] = append(records[id], record(m, i, r.quantity, r.at, p))
			}
		}
		countIn := func(s metered.Span) (sums map[string]int64, present map[string]map[string]bool) {
			sums, present = map[string]int64{}, map[string]map[string]bool{}
			for _, r := range all {
				if r.at.Before(s.Start) || !r.at.Before(s.End) {
					continue
				}
				lot, person := `1 ["`+r.region+`"]`, "-1 "
				if r.tier == "gold" {
					lot, person = "0 ", "0 "
				}
				sums[lot] += r.quantity
				if present[person] == nil {
					present[person] = map[string]bool{}
				}
				present[person][r.user] = true
			}
			return sums, present
		}
		said := func(totals usage.Totals) map[string]int64 {
			out := map[string]int64{}
			for _, q := range totals {
				n, err := strconv.ParseInt(q.Value.String(), 10, 64)
				require.NoError(t, err)
				out[string(q.Group)] = n
			}
			return out
		}
		from := rapid.IntRange(0, len(spans)).Draw(t, "from")
		segments := segmentsOf(t, spans, from, metrics, records)
		require.Len(t, segments, len(spans)-from)
		before := map[string]int64{}
		for i, s := range spans {
			sums, present := countIn(s)
			if i >= from {
				segment := segments[i-from]
				require.Equal(t, s.Start, segment.Start)
				components := 0
				if s.Prices != nil {
					components = len(s.Prices.Components)
				}
				require.Len(t, segment.Usage, components)
				for k, used := range segment.Usage {
					require.Equal(t, s.Prices.Components[k].ID, used.ID)
					if used.ID == "calls" {
						require.Equal(t, sums, said(used.Quantities))
						require.Equal(t, before, said(used.Before))
						continue
					}
					want := map[string]int64{}
					for lot, users := range present {
						want[lot] = int64(len(users))
					}
					require.Equal(t, want, said(used.Quantities))
					require.Empty(t, used.Before)
				}
			}
			if s.Prices != nil && s.Prices.Components[0].ID == "calls" {
				for lot, n := range sums {
					before[lot] += n
				}
			}
		}
	})
}

// A divided period costs the same per unit as the whole, for aggregations that add up over time, any number of parts,
// and any earlier usage.
func TestSegments_CutPeriodSumsToWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		of := usage.Metric{ID: "met_1", Version: 1, Definition: usage.Definition{
			Aggregation: rapid.SampledFrom([]usage.Aggregation{usage.Sum, usage.Count, usage.WeightedSum}).Draw(t, "aggregation"),
		}}
		c := component(perUnit)
		c.MetricVersionID = "met_1"
		metrics := map[string]usage.Metric{"met_1": of}
		records := map[string][]usage.Measured{}
		for i := range rapid.IntRange(1, 12).Draw(t, "records") {
			at := start.Add(time.Duration(rapid.IntRange(-3*24*60, 30*24*60-1).Draw(t, "minute")) * time.Minute)
			quantity := rapid.Int64Range(1, 100_000).Draw(t, "quantity")
			records["met_1"] = append(records["met_1"], record(of, i, quantity, at, nil))
		}
		var spans []metered.Span
		for at := 0; at < 30*24*60; {
			end := min(at+rapid.IntRange(1, 20*24*60).Draw(t, "minutes"), 30*24*60)
			s := days(0, 0, pricesOf(c))
			s.Start, s.End = start.Add(time.Duration(at)*time.Minute), start.Add(time.Duration(end)*time.Minute)
			spans = append(spans, s)
			at = end
		}
		quantity := func(spans []metered.Span) money.Decimal {
			sum := money.Whole(0)
			for _, segment := range segmentsOf(t, spans, 0, metrics, records) {
				for _, q := range segment.Usage[0].Quantities {
					sum = sum.Add(q.Value)
				}
			}
			return sum
		}
		amount := func(spans []metered.Span) money.Minor {
			owed, err := metered.Owed(segmentsOf(t, spans, 0, metrics, records), eur)
			return total(t, owed, err)
		}
		whole := days(0, 30, pricesOf(c))
		whole.PeriodLength = 0 // its own
		// Each part is a quotient of money.QuotientDigits digits.
		more := quantity(spans).Sub(quantity([]metered.Span{whole}))
		require.LessOrEqual(t, more.RoundTo(money.QuotientDigits-3, money.RoundHalfUp).Sign(), 0, more.String())
		require.GreaterOrEqual(t, more.RoundTo(money.QuotientDigits-3, money.RoundHalfUp).Sign(), 0, more.String())
		// Each part is rounded to a minor unit.
		require.InDelta(t, float64(amount([]metered.Span{whole})), float64(amount(spans)), 0.5*float64(len(spans)+1))
	})
}

// Cumulated spans together cost the price of all their units, for any gaps between them.
func TestSegments_CumulatedSpansSumToWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := component(graduated)
		c.Cumulated, c.MetricVersionID = true, "met_1"
		var spans []metered.Span
		records := map[string][]usage.Measured{}
		var units int64
		for i := range 10 {
			p := rapid.SampledFrom([]*metered.Prices{nil, pricesOf(c)}).Draw(t, "prices")
			spans = append(spans, days(i, i+1, p))
			n := rapid.Int64Range(0, 9).Draw(t, "units")
			records["met_1"] = append(records["met_1"], record(regions, i, n, start.AddDate(0, 0, i), nil))
			if p != nil {
				units += n
			}
		}
		var sum money.Minor
		for i := range spans { // each rated separately, as periods are
			owed, err := metered.Owed(segmentsOf(t, spans[:i+1], i, map[string]usage.Metric{"met_1": regions}, records), eur)
			sum += total(t, owed, err)
		}
		all, err := graduated.Rate(money.Whole(units), eur)
		require.NoError(t, err)
		require.Equal(t, all.Amount, sum)
	})
}

// A cumulated price that changed under the same id uses its present lots, also for the earlier time.
func TestSegments_CumulatedByPresentLots(t *testing.T) {
	t.Parallel()
	old, now := component(graduated), component(graduated)
	old.Cumulated, old.MetricVersionID = true, "met_1"
	now.Cumulated, now.MetricVersionID, now.Rates[0].By = true, "met_1", []string{"region"}
	records := map[string][]usage.Measured{}
	for day := range 3 {
		records["met_1"] = append(records["met_1"], record(regions, day, 2, start.AddDate(0, 0, day), usage.Properties{"region": "eu"}))
	}
	spans := []metered.Span{days(0, 1, pricesOf(old)), days(1, 2, pricesOf(old)), days(2, 3, pricesOf(now))}
	segments := segmentsOf(t, spans, 1, map[string]usage.Metric{"met_1": regions}, records)
	require.Equal(t, "[{0  2 1}]", fmt.Sprint(segments[0].Usage[0].Before))
	require.Equal(t, `[{0 ["eu"] 4 2}]`, fmt.Sprint(segments[1].Usage[0].Before))
	require.Equal(t, `[{0 ["eu"] 2 1}]`, fmt.Sprint(segments[1].Usage[0].Quantities))
}

func TestLots_Bound(t *testing.T) {
	t.Parallel()
	c := metered.Component{MetricName: "calls", Rates: []metered.Rate{
		{Where: map[string]string{"tier": "free"}, Price: perUnit}, {By: []string{"region"}, Price: perUnit},
	}}
	regroup := c.Lots(regions).Of
	group := func(region int, tier string) usage.Group {
		return usage.Group(`["` + strconv.Itoa(region) + `","` + tier + `"]`)
	}
	for i := range metered.MaxLots + 10 {
		lot, err := regroup(group(i, "free"))
		require.NoError(t, err)
		require.Equal(t, usage.Group("0 "), lot, "any number of dimensions are one lot")
	}
	for i := range metered.MaxLots - 1 {
		if _, err := regroup(group(i, "gold")); err != nil {
			t.Fatal(i, err)
		}
	}
	_, err := regroup(group(metered.MaxLots, "gold"))
	require.Equal(t, "metered_lots_too_many", fault.From(err).Code)
	lot, err := regroup(group(7, "gold"))
	require.NoError(t, err)
	require.Equal(t, usage.Group(`1 ["7"]`), lot, "those that are counted stay so")
	_, err = regions.SeriesBy([]usage.Span{{Start: start, End: start.Add(time.Hour)}}, regroup, nil,
		[]usage.Measured{record(regions, 1, 1, start, usage.Properties{"region": "x", "tier": "gold"})})
	require.Equal(t, "metered_lots_too_many", fault.From(err).Code)
}

// If all usage is one lot, a group without dimensions is in it too, since the database may leave dimensions out.
func TestComponent_Undivided(t *testing.T) {
	t.Parallel()
	all, of := metered.Rate{}, usage.Metric{Definition: usage.Definition{GroupBy: []string{"region", "tier"}}}
	one, by := metered.Rate{Where: map[string]string{"region": "eu"}}, metered.Rate{By: []string{"tier"}}
	for _, c := range []struct {
		rates     []metered.Rate
		undivided bool
	}{
		{[]metered.Rate{all}, true}, {[]metered.Rate{all, one, by}, true},
		{[]metered.Rate{one, all}, false}, {[]metered.Rate{by}, false}, {nil, false},
	} {
		component := metered.Component{Rates: c.rates}
		require.Equal(t, c.undivided, component.Undivided())
		lots, named := component.Lots(of), map[usage.Group]bool{}
		for _, group := range []usage.Group{"", `["eu","a"]`, `["us","b"]`, `[null,null]`} {
			lot, err := lots.Of(group)
			require.NoError(t, err)
			named[lot] = true
		}
		require.Equal(t, c.undivided || c.rates == nil, len(named) == 1)
	}
}
