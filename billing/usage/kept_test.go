package usage

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

// A tally that is saved after any part and continued by another one has the result of an uninterrupted one.
func TestTally_ResumesWhatWasKept(t *testing.T) {
	t.Parallel()
	start := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		of := Metric{ID: "met_1", Name: "m", Definition: Definition{
			Aggregation: rapid.SampledFrom(Aggregations()).Draw(t, "aggregation"), GroupBy: []string{"region"},
			CarriesOver: rapid.Bool().Draw(t, "carries over"),
		}}
		periods := []Span{{Start: start, End: start.Add(5 * time.Hour)}, {Start: start.Add(6 * time.Hour), End: start.Add(9 * time.Hour)}}
		unbroken, broken := of.Tally(periods, of.Keep(of.GroupBy)), of.Tally(periods, of.Keep(of.GroupBy))
		for hour := range 10 {
			var records []Measured
			for i := range rapid.IntRange(0, 3).Draw(t, "records") {
				at := start.Add(time.Duration(hour) * time.Hour)
				records = append(records, Measured{
					ID: string(rune('a' + i)), Position: int64(10*hour + i), At: at,
					Value: money.Whole(rapid.Int64Range(-3, 9).Draw(t, "value")), Key: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "key"),
					Group: Group(rapid.SampledFrom([]string{`["eu"]`, `["us"]`, `[null]`}).Draw(t, "group")),
				})
			}
			require.NoError(t, unbroken.Take(nil, records))
			require.NoError(t, broken.Take(nil, records))
			if rapid.Bool().Draw(t, "broken") {
				kept, err := broken.Keep()
				require.NoError(t, err)
				broken = of.Tally(periods, of.Keep(of.GroupBy))
				require.NoError(t, broken.Take(nil, records), "what it has counted is replaced")
				groups, err := broken.Resume(kept)
				require.NoError(t, err)
				require.Len(t, groups, unbroken.States())
			}
		}
		require.Equal(t, unbroken.Totals(), broken.Totals())
	})
}

func TestTally_ResumesNothingElse(t *testing.T) {
	t.Parallel()
	of := Metric{Definition: Definition{Aggregation: Sum}}
	one := of.Tally([]Span{{}}, of.Keep(nil))
	kept, err := one.Keep()
	require.NoError(t, err)
	_, err = of.Tally([]Span{{}, {}}, of.Keep(nil)).Resume(kept)
	require.ErrorContains(t, err, "2 periods")
	_, err = one.Resume([]byte("{"))
	require.Error(t, err)
}
