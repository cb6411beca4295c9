package usage_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
	"perennial/billing/usage"
)

// Time between periods counts only if it is carried, like a separate period without a result. Parts may come in any
// order.
func TestSeries_GapsAndParts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := usage.Metric{Definition: usage.Definition{
			Aggregation: rapid.SampledFrom(usage.Aggregations()).Draw(t, "aggregation"), GroupBy: []string{"region"},
		}}
		if m.Aggregation == usage.UniqueCount || m.Aggregation == usage.LatestPerKey {
			m.KeyProperty = "user"
		}
		m.CarriesOver = rapid.Bool().Draw(t, "carries over")
		if m.Aggregation == usage.Max || m.Aggregation == usage.Last || m.Aggregation == usage.Count {
			m.CarriesOver = false
		}
		origin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
		var all, asked []usage.Span
		var places []int
		for at := 10; at < 100; {
			end := at + rapid.IntRange(1, 40).Draw(t, "minutes")
			span := usage.Span{
				Start: origin.Add(time.Duration(at) * time.Minute), End: origin.Add(time.Duration(end) * time.Minute),
			}
			if len(all) == 0 || rapid.Bool().Draw(t, "asked") {
				asked, places = append(asked, span), append(places, len(all))
			}
			all, at = append(all, span), end
		}
		var parts [3][]usage.Measured
		var records []usage.Measured
		for i := range rapid.IntRange(1, 20).Draw(t, "records") {
			one, counts := m.Measure(usage.Record{
				ID: strconv.Itoa(i), Position: int64(i + 1), Quantity: money.Whole(rapid.Int64Range(0, 9).Draw(t, "quantity")),
				At: origin.Add(time.Duration(rapid.IntRange(0, 150).Draw(t, "minute")) * time.Minute),
				Properties: usage.Properties{
					"user":   rapid.SampledFrom([]string{"ada", "bob"}).Draw(t, "user"),
					"region": rapid.SampledFrom([]string{"eu", "us"}).Draw(t, "region"),
				},
			})
			require.True(t, counts)
			part := rapid.IntRange(0, 2).Draw(t, "part")
			parts[part], records = append(parts[part], one), append(records, one)
		}
		whole := m.Series(all, m.GroupBy, nil, records)
		tally := m.Tally(asked, m.Keep(m.GroupBy))
		for _, part := range parts {
			require.NoError(t, tally.Take(nil, part))
		}
		for i, got := range tally.Totals() {
			require.Equal(t, fmt.Sprint(whole[places[i]]), fmt.Sprint(got), "period %d", i)
		}
	})
}

// Records that count for no period get no group, of which there may be too many.
func TestSeries_RegroupsWhatCounts(t *testing.T) {
	t.Parallel()
	origin := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	periods := []usage.Span{
		{Start: origin, End: origin.Add(time.Hour)}, {Start: origin.Add(2 * time.Hour), End: origin.Add(3 * time.Hour)},
	}
	tooMany := errors.New("too many")
	for _, c := range []struct {
		carries bool
		hour    int
		want    error
	}{
		{false, -1, nil}, {false, 0, tooMany}, {false, 1, nil}, {false, 2, tooMany}, {false, 3, nil},
		{true, -1, tooMany}, {true, 1, tooMany}, {true, 3, nil},
	} {
		m := usage.Metric{Definition: usage.Definition{Aggregation: usage.Sum, CarriesOver: c.carries}}
		at := origin.Add(time.Duration(c.hour) * time.Hour)
		one, _ := m.Measure(usage.Record{ID: "a", Quantity: money.Whole(1), At: at})
		refuse := func(usage.Group) (usage.Group, error) { return "", tooMany }
		_, err := m.SeriesBy(periods, refuse, nil, []usage.Measured{one})
		require.Equal(t, c.want, err, "%+v", c)
		_, err = m.SeriesBy(periods, refuse, []usage.Bucket{{Hour: at, State: m.Aggregation.New()}}, nil)
		require.Equal(t, c.want, err, "%+v", c)
	}
}

// Accepted records after the end of the last period count like records of its last instant, for every aggregation;
// later ones are left out.
func TestSeries_LateRecordsCountAsOfTheEnd(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 3, 1, 10, 30, 0, 0, time.UTC)
	end := start.Add(2 * time.Hour)
	span := usage.Span{Start: start, End: end, Late: end.Add(time.Hour), Weight: 24 * time.Hour}
	for _, a := range usage.Aggregations() {
		m := usage.Metric{Definition: usage.Definition{Aggregation: a}}
		if a == usage.UniqueCount || a == usage.LatestPerKey {
			m.KeyProperty = "user"
		}
		measured := func(position int64, at time.Time) usage.Measured {
			one, counts := m.Measure(usage.Record{
				ID: strconv.FormatInt(position, 10), Position: position, Quantity: money.Whole(position), At: at,
				Properties: usage.Properties{"user": strconv.FormatInt(position, 10)},
			})
			require.True(t, counts)
			return one
		}
		records := []usage.Measured{
			measured(1, start.Add(time.Hour)), measured(2, end), measured(3, end.Add(time.Hour-time.Microsecond)),
			measured(9, end.Add(time.Hour)),
		}
		instant := end.Add(-time.Microsecond)
		want := []usage.Measured{records[0], measured(2, instant), measured(3, instant)}
		plain := usage.Span{Start: start, End: end, Weight: span.Weight}
		require.Equal(t, m.Series([]usage.Span{plain}, nil, nil, want), m.Series([]usage.Span{span}, nil, nil, records), a)
	}
	hours := usage.SplitHours([]usage.Span{span})
	require.Equal(t, map[time.Time]bool{
		usage.Hour(start): true, usage.Hour(end): true, usage.Hour(end.Add(time.Hour)): true,
	}, hours, "no bucket knows which of its records are late")
}
