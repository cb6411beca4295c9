package usage_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/usage"
)

var start = time.Date(2026, 3, 1, 10, 17, 33, 0, time.UTC)

func anyMetric(t *rapid.T) usage.Metric {
	m := usage.Metric{ID: "met_1", Version: 1, Name: "m", Active: true, Definition: usage.Definition{
		Aggregation: rapid.SampledFrom(usage.Aggregations()).Draw(t, "aggregation"),
	}}
	if m.Aggregation == usage.UniqueCount || m.Aggregation == usage.LatestPerKey {
		m.KeyProperty = "key"
	}
	if m.Aggregation != usage.Max && m.Aggregation != usage.Last && m.Aggregation != usage.Count {
		m.CarriesOver = rapid.Bool().Draw(t, "carries")
	}
	if rapid.Bool().Draw(t, "grouped") {
		m.GroupBy = []string{"region"}
	}
	return m
}

// anyRecords returns records of some days around the period, with corrections of some of them.
func anyRecords(t *rapid.T, m usage.Metric) []usage.Record {
	var records []usage.Record
	for i := range rapid.IntRange(0, 25).Draw(t, "records") {
		r := usage.Record{
			ID: strconv.Itoa(1000 + i), Metric: m.Name, SubscriptionID: "sub_1",
			Quantity:   money.Whole(rapid.Int64Range(0, 5).Draw(t, "quantity")),
			At:         start.Add(time.Duration(rapid.IntRange(-200, 400).Draw(t, "at")) * 15 * time.Minute),
			Properties: usage.Properties{"key": rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")},
		}
		if rapid.Bool().Draw(t, "has a region") {
			r.Properties["region"] = rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "region")
		}
		records = append(records, r)
		if r.Quantity.Sign() > 0 && rapid.IntRange(0, 5).Draw(t, "corrected") == 0 {
			c := usage.Record{ID: strconv.Itoa(2000 + i), Metric: m.Name, SubscriptionID: "sub_1", Corrects: r.ID}
			by := rapid.Int64Range(-5, -1).Draw(t, "by")
			c.Quantity = money.Whole(by)
			if c, err := usage.Correct(r, money.Whole(0), m, c); err == nil {
				records = append(records, c)
			}
		}
	}
	return records
}

// reference computes a quantity from the definition of the aggregation, one record after another in the order of time.
func reference(m usage.Metric, records []usage.Record, p usage.Span) map[string]money.Decimal {
	quantity := map[string]money.Decimal{}
	for _, r := range records {
		if id := r.ID; r.Corrects != "" {
			id = r.Corrects
			quantity[id] = quantity[id].Add(r.Quantity)
		} else {
			quantity[id] = quantity[id].Add(r.Quantity)
		}
	}
	corrected := map[string]bool{}
	for _, r := range records {
		if r.Corrects != "" {
			corrected[r.Corrects] = true
		}
	}
	ordered := slices.Clone(records)
	slices.SortFunc(ordered, func(a, b usage.Record) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return compare(a.ID, b.ID)
	})
	out, latest := map[string]money.Decimal{}, map[string]map[string]money.Decimal{}
	for _, r := range ordered {
		v := quantity[r.ID]
		if r.Corrects != "" || corrected[r.ID] && v.Sign() == 0 || !r.At.Before(p.End) ||
			r.At.Before(p.Start) && !m.Carries() {
			continue
		}
		group := ""
		if len(m.GroupBy) > 0 {
			group = "null"
			if region, has := r.Properties["region"]; has {
				group = region
			}
		}
		before, known := out[group]
		switch m.Aggregation {
		case usage.Sum:
			out[group] = before.Add(v)
		case usage.Count:
			out[group] = before.Add(money.Whole(1))
		case usage.Max:
			if !known || v.Cmp(before) > 0 {
				out[group] = v
			}
		case usage.Last:
			out[group] = v
		case usage.WeightedSum:
			since := r.At
			if since.Before(p.Start) {
				since = p.Start
			}
			out[group] = before.Add(v.Mul(money.Whole(int64(p.End.Sub(since) / time.Second))))
		default:
			if latest[group] == nil {
				latest[group] = map[string]money.Decimal{}
			}
			latest[group][r.Properties["key"]] = v
			out[group] = money.Whole(0)
			for _, l := range latest[group] {
				if m.Aggregation == usage.LatestPerKey {
					out[group] = out[group].Add(l)
				} else if l.Sign() > 0 {
					out[group] = out[group].Add(money.Whole(1))
				}
			}
		}
	}
	if m.Aggregation == usage.WeightedSum {
		for group, v := range out {
			out[group] = v.Quo(money.Whole(int64(p.End.Sub(p.Start) / time.Second)))
		}
	}
	return out
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func named(totals usage.Totals) map[string]string {
	out := map[string]string{}
	for _, q := range totals {
		name := ""
		if values := q.Group.Values(); len(values) > 0 {
			if name = "null"; values[0] != nil {
				name = *values[0]
			}
		}
		out[name] = q.Value.String()
	}
	return out
}

// For any order of records, any division into buckets and a tail, and any encoding in between, a quantity equals its
// definition.
func TestSeries_EqualsReference(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := anyMetric(t)
		records := anyRecords(t, m)
		periods := []usage.Span{
			{Start: start, End: start.Add(30 * time.Hour)}, {Start: start.Add(30 * time.Hour), End: start.Add(70 * time.Hour)},
		}
		buckets, rest := aggregated(t, m, rapid.Permutation(records).Draw(t, "order"), usage.SplitHours(periods))
		for i, totals := range m.Series(periods, m.GroupBy, buckets, rest) {
			want := map[string]string{}
			for group, v := range reference(m, records, periods[i]) {
				want[group] = v.String()
			}
			require.Equal(t, want, named(totals), "period %d", i)
		}
	})
}

// aggregated merges records of whole hours into buckets, in parts that were encoded and decoded, unless they are in the
// tail. Hours with corrections are recounted.
func aggregated(
	t *rapid.T, m usage.Metric, records []usage.Record, split map[time.Time]bool,
) (buckets []usage.Bucket, rest []usage.Measured) {
	type place struct {
		hour  time.Time
		group usage.Group
	}
	hours := map[time.Time][]usage.Measured{}
	for _, r := range records {
		if one, counts := m.Measure(r); counts {
			hours[usage.Hour(r.At)] = append(hours[usage.Hour(r.At)], one)
		}
	}
	states := map[place]usage.State{}
	for hour, all := range hours {
		corrected := slices.ContainsFunc(all, func(o usage.Measured) bool { return o.Corrects != "" })
		for _, o := range usage.Effective(all) {
			at := place{hour, o.Group}
			switch part := m.Aggregation.Recount([]usage.Measured{o}); {
			case split[hour]:
			case !corrected && rapid.IntRange(0, 3).Draw(t, "waits") == 0:
				rest = append(rest, o)
			case states[at] == nil:
				states[at] = part
			default:
				text, err := json.Marshal(states[at])
				require.NoError(t, err)
				read, err := m.Aggregation.Read(text)
				require.NoError(t, err)
				part.Merge(read) // in the other order
				states[at] = part
			}
		}
		if split[hour] {
			rest = append(rest, all...)
		}
	}
	for _, at := range slices.SortedFunc(maps.Keys(states), func(a, b place) int { return a.hour.Compare(b.hour) }) {
		buckets = append(buckets, usage.Bucket{Hour: at.hour, Group: at.group, State: states[at]})
	}
	return buckets, rest
}

// Of two records at the same time the one received later is the latest, for any ids and any division into states.
func TestLast_TiesGoByReceipt(t *testing.T) {
	t.Parallel()
	first := usage.Measured{ID: "usg_b", Position: 1, At: start, Value: money.Whole(1)}
	second := usage.Measured{ID: "usg_a", Position: 2, At: start, Value: money.Whole(2)}
	for _, a := range []usage.Aggregation{usage.Last, usage.LatestPerKey} {
		for _, order := range [][]usage.Measured{{first, second}, {second, first}} {
			state := a.Recount(order[:1])
			text, err := json.Marshal(state)
			require.NoError(t, err)
			state, err = a.Read(text)
			require.NoError(t, err)
			state.Merge(a.Recount(order[1:]))
			require.Equal(t, "2", state.Value(usage.Span{}).String(), a)
		}
	}
}

func TestSeries_AddsGroupsUp(t *testing.T) {
	t.Parallel()
	m := usage.Metric{Name: "m", Definition: usage.Definition{
		Aggregation: usage.UniqueCount, KeyProperty: "user", GroupBy: []string{"region", "tier"},
	}}
	var records []usage.Measured
	for i, p := range []usage.Properties{
		{"user": "ada", "region": "eu", "tier": "1"}, {"user": "ada", "region": "us", "tier": "1"},
		{"user": "bob", "region": "eu", "tier": "2"}, {"user": "eve", "region": "eu"},
	} {
		one, _ := m.Measure(usage.Record{ID: strconv.Itoa(i), At: start, Quantity: money.Whole(1), Properties: p})
		records = append(records, one)
	}
	period := []usage.Span{{Start: start, End: start.Add(time.Hour)}}
	total := func(by ...string) []string {
		var out []string
		for _, q := range m.Series(period, by, nil, records)[0] {
			out = append(out, string(q.Group)+" "+q.Value.String())
		}
		return out
	}
	require.Equal(t, []string{" 3"}, total(), "a user of two regions counts once")
	require.Equal(t, []string{`["eu"] 3`, `["us"] 1`}, total("region"))
	require.Equal(t, []string{`["eu","1"] 1`, `["eu","2"] 1`, `["eu",null] 1`, `["us","1"] 1`}, total("region", "tier"))
}

// Only sums and counts of parts add up to those of the whole, field by field.
func TestAggregation_Adds(t *testing.T) {
	t.Parallel()
	for aggregation, want := range map[usage.Aggregation]bool{
		usage.Sum: true, usage.Count: true, usage.Max: false, usage.Last: false, usage.UniqueCount: false,
		usage.WeightedSum: false, usage.LatestPerKey: false,
	} {
		require.Equal(t, want, aggregation.Adds(), aggregation)
	}
}
