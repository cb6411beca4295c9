package usage_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
)

// Two records in one state and one in another are three after a merge, and a state without records changes nothing.
func TestStates_CountTheirRecords(t *testing.T) {
	t.Parallel()
	at := time.Unix(-10, 0) // before 1970, with negative times
	span := usage.Span{Start: at, End: at.Add(time.Hour)}
	record := func(n int) usage.Measured {
		return usage.Measured{ID: strconv.Itoa(n), Key: "k", At: at.Add(time.Duration(n)), Value: money.Whole(int64(-n))}
	}
	for _, a := range usage.Aggregations() {
		all, other := a.New(), a.New()
		all.Add(record(1))
		all.Add(record(2))
		before := all.Value(span)
		all.Merge(a.New())
		require.Equal(t, before.String(), all.Value(span).String(), a)
		require.EqualValues(t, 2, all.Records(), a)
		other.Add(record(3))
		all.Merge(other)
		require.EqualValues(t, 3, all.Records(), a)
		if a == usage.Count {
			require.Equal(t, "3", all.Value(span).String())
		}
	}
}

func TestWeightedSum_OfNoTime(t *testing.T) {
	t.Parallel()
	s := usage.WeightedSum.New()
	s.Add(usage.Measured{ID: "1", At: start, Value: money.Whole(1)})
	require.Equal(t, "0", s.Value(usage.Span{Start: start, End: start}).String())
}

func TestFilter_Matches(t *testing.T) {
	t.Parallel()
	lists := func(pairs ...string) map[string][]string {
		out := map[string][]string{}
		for i := 0; i < len(pairs); i += 2 {
			out[pairs[i]] = append(out[pairs[i]], pairs[i+1])
		}
		return out
	}
	exclude := func(entries ...map[string][]string) usage.Filter { return usage.Filter{Exclude: entries} }
	p := usage.Properties{"region": "eu", "tier": "1"}
	for name, c := range map[string]struct {
		filter usage.Filter
		want   bool
	}{
		"none":                        {usage.Filter{}, true},
		"one of the values":           {usage.Filter{Include: lists("region", "us", "region", "eu")}, true},
		"another value":               {usage.Filter{Include: lists("region", "us")}, false},
		"a property that is absent":   {usage.Filter{Include: lists("plan", "")}, false},
		"excluded":                    {exclude(lists("region", "eu", "tier", "1")), false},
		"excluded in part":            {exclude(lists("region", "eu", "tier", "2")), true},
		"by the second of two":        {exclude(lists("region", "us"), lists("tier", "1")), false},
		"an entry of nothing is none": {exclude(lists()), true},
	} {
		require.Equal(t, c.want, c.filter.Matches(p), name)
	}
}

func TestMeasure_LeavesRecordsOut(t *testing.T) {
	t.Parallel()
	m := usage.Metric{Name: "m", Definition: usage.Definition{
		Aggregation: usage.Sum, Property: "bytes", Filter: usage.Filter{Include: map[string][]string{"region": {"eu"}}},
	}}
	for name, c := range map[string]struct {
		properties usage.Properties
		want       bool
	}{
		"counted":               {usage.Properties{"bytes": "5", "region": "eu"}, true},
		"another region":        {usage.Properties{"bytes": "5", "region": "us"}, false},
		"the bytes were erased": {usage.Properties{"region": "eu"}, false},
	} {
		_, ok := m.Measure(usage.Record{ID: "1", At: start, Properties: c.properties})
		require.Equal(t, c.want, ok, name)
	}
}

// A metric of quantities excludes the records that its filter excludes. A correction has its own quantity, whatever its
// property.
func TestMeasure_OfQuantities(t *testing.T) {
	t.Parallel()
	eu := usage.Filter{Include: map[string][]string{"region": {"eu"}}}
	quantities := usage.Metric{Name: "m", Definition: usage.Definition{Aggregation: usage.Sum, Filter: eu}}
	bytes := quantities
	bytes.Property = "bytes"
	for name, c := range map[string]struct {
		of         usage.Metric
		properties usage.Properties
		corrects   string
		want       string // empty: it is excluded
	}{
		"a quantity":                     {quantities, usage.Properties{"region": "eu"}, "", "3"},
		"of another region":              {quantities, usage.Properties{"region": "us"}, "", ""},
		"a property":                     {bytes, usage.Properties{"region": "eu", "bytes": "5"}, "", "5"},
		"one that is no number":          {bytes, usage.Properties{"region": "eu", "bytes": "x"}, "", ""},
		"a correction":                   {bytes, usage.Properties{"region": "eu", "bytes": "5"}, "0", "3"},
		"a correction of no number":      {bytes, usage.Properties{"region": "eu", "bytes": "x"}, "0", "3"},
		"a correction of another region": {bytes, usage.Properties{"region": "us", "bytes": "5"}, "0", ""},
	} {
		one, ok := c.of.Measure(usage.Record{
			ID: "1", Corrects: c.corrects, At: start, Quantity: money.Whole(3), Properties: c.properties,
		})
		require.Equal(t, c.want != "", ok, name)
		if ok {
			require.Equal(t, c.want, one.Value.String(), name)
		}
	}
}

func TestAdmit_NothingUsed(t *testing.T) {
	t.Parallel()
	facts := usage.Facts{
		Now: start, Metric: usage.Metric{Name: "m", Active: true, Definition: usage.Definition{Aggregation: usage.Sum}},
	}
	require.NoError(t, usage.Admit(usage.Record{At: start, Quantity: money.Whole(0)}, facts))
	err := usage.Admit(usage.Record{At: start.AddDate(-1, 0, 0), Quantity: money.Whole(0)}, facts)
	require.Contains(t, fault.From(err).Detail, "more than 90 days ago")
}

// Each row has the largest allowed value, and one beyond it with its code.
func TestValidate_RecordBounds(t *testing.T) {
	t.Parallel()
	properties := func(n int) usage.Properties {
		p := usage.Properties{}
		for i := range n {
			p[strconv.Itoa(i)] = ""
		}
		return p
	}
	long := strings.Repeat
	for name, c := range map[string]struct {
		good, bad usage.Record
		code      string
	}{
		"a key of some length": {usage.Record{Key: "k"}, usage.Record{Key: ""}, "usage_key_invalid"},
		"a key of 255":         {usage.Record{Key: long("k", 255)}, usage.Record{Key: long("k", 256)}, "usage_key_invalid"},
		"a key of text":        {usage.Record{Key: "é"}, usage.Record{Key: "\xff"}, "usage_key_invalid"},
		"a key with a space":   {usage.Record{Key: "a b"}, usage.Record{Key: "a\x1fb"}, "usage_key_invalid"},
		"a key without DEL":    {usage.Record{Key: "~"}, usage.Record{Key: "\x7f"}, "usage_key_invalid"},
		"twenty properties": {
			usage.Record{Properties: properties(20)}, usage.Record{Properties: properties(21)}, "usage_properties_too_many",
		},
		"a name": {
			usage.Record{Properties: usage.Properties{"n": ""}}, usage.Record{Properties: usage.Properties{"": ""}},
			"usage_property_invalid",
		},
		"a name of 100": {
			usage.Record{Properties: usage.Properties{long("n", 100): ""}},
			usage.Record{Properties: usage.Properties{long("n", 101): ""}}, "usage_property_invalid",
		},
		"a value of 200": {
			usage.Record{Properties: usage.Properties{"n": long("v", 200)}},
			usage.Record{Properties: usage.Properties{"n": long("v", 201)}}, "usage_property_invalid",
		},
	} {
		if c.code != "usage_key_invalid" {
			c.good.Key, c.bad.Key = "k", "k"
		}
		require.NoError(t, c.good.Validate(), name)
		require.Equal(t, c.code, fault.From(c.bad.Validate()).Code, name)
	}
}

// Each row has the largest allowed value, and one beyond it.
func TestValidate_MetricBounds(t *testing.T) {
	t.Parallel()
	names := func(n int) (out []string) {
		for i := range n {
			out = append(out, strconv.Itoa(i))
		}
		return out
	}
	grouped := func(by ...string) func(*usage.Metric) { return func(m *usage.Metric) { m.GroupBy = by } }
	digits := func(n int32) func(*usage.Metric) {
		return func(m *usage.Metric) { m.Conversion.Rounding, m.Conversion.Digits = money.RoundUp, n }
	}
	carried := func(a usage.Aggregation) func(*usage.Metric) {
		return func(m *usage.Metric) { m.Aggregation, m.CarriesOver = a, true }
	}
	// An entry of Exclude counts besides its values.
	filtered := func(included int) func(*usage.Metric) {
		return func(m *usage.Metric) {
			m.Filter.Include = map[string][]string{"p": make([]string, included)}
			m.Filter.Exclude = []map[string][]string{{"q": {"1"}}}
		}
	}
	for name, c := range map[string]struct{ good, bad func(*usage.Metric) }{
		"a name of 100": {
			func(m *usage.Metric) { m.Name = strings.Repeat("n", 100) },
			func(m *usage.Metric) { m.Name = strings.Repeat("n", 101) },
		},
		"groups":              {grouped(names(usage.MaxGroupBy)...), grouped(names(usage.MaxGroupBy + 1)...)},
		"a group with a name": {grouped("g"), grouped("")},
		"a group's name of 100": {
			grouped(strings.Repeat("g", 100)), grouped(strings.Repeat("g", 101)),
		},
		"twelve digits":          {digits(12), digits(13)},
		"twelve zeros":           {digits(-12), digits(-13)},
		"a sum that carries":     {carried(usage.Sum), carried(usage.Count)},
		"a level that carries":   {carried(usage.WeightedSum), carried(usage.Last)},
		"a filter of its values": {filtered(usage.MaxFilterValues - 2), filtered(usage.MaxFilterValues - 1)},
	} {
		good := usage.Metric{Name: "m", Definition: usage.Definition{Aggregation: usage.Sum}}
		bad := good
		c.good(&good)
		c.bad(&bad)
		require.NoError(t, good.Validate(), name)
		require.Error(t, bad.Validate(), name)
	}
}

// Records of a version without groups have none of a later one's properties.
func TestSeries_RecordsWithoutGroups(t *testing.T) {
	t.Parallel()
	m := usage.Metric{Name: "m", Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region", "tier"}}}
	records := []usage.Measured{{ID: "1", At: start, Value: money.Whole(2)}}
	got := m.Series([]usage.Span{{Start: start, End: start.Add(time.Hour)}}, []string{"region"}, nil, records)
	require.Equal(t, map[string]string{"null": "2"}, named(got[0]))
}
