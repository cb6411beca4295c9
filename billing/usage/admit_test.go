package usage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
)

func TestAdmit(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	facts := usage.Facts{
		Now: now, Started: now.AddDate(0, 0, -80),
		Metric: usage.Metric{Name: "m", Active: true, Definition: usage.Definition{Aggregation: usage.Sum}},
	}
	for _, c := range []struct {
		name   string
		change func(*usage.Record, *usage.Facts)
		code   string
	}{
		{"now", func(*usage.Record, *usage.Facts) {}, ""},
		{"an hour ahead", func(r *usage.Record, _ *usage.Facts) { r.At = now.Add(usage.MaxAhead) }, ""},
		{"too far ahead", func(r *usage.Record, _ *usage.Facts) { r.At = now.Add(usage.MaxAhead + 1) },
			"usage_too_far_ahead"},
		{"at the start", func(r *usage.Record, f *usage.Facts) { r.At = f.Started }, ""},
		{"before the start", func(r *usage.Record, f *usage.Facts) { r.At = f.Started.Add(-1) }, "usage_before_subscription"},
		{
			"at the oldest", func(r *usage.Record, f *usage.Facts) { f.Started, r.At = time.Time{}, now.Add(-usage.MaxAge) }, "",
		},
		{"too old", func(r *usage.Record, _ *usage.Facts) { r.At = now.Add(-usage.MaxAge - 1) }, "usage_too_old"},
		{"before the end", func(r *usage.Record, f *usage.Facts) { f.Ended = r.At.Add(1) }, ""},
		{"at the end", func(r *usage.Record, f *usage.Facts) { f.Ended = r.At }, "usage_after_end"},
		{"no subscription", func(_ *usage.Record, f *usage.Facts) { f.SubscriptionAbsent = true }, "subscription_not_found"},
		{"no metric", func(_ *usage.Record, f *usage.Facts) { f.MetricAbsent = true }, "metric_not_found"},
		{"archived", func(_ *usage.Record, f *usage.Facts) { f.Metric.Active = false }, "metric_archived"},
		{
			"archived, a correction", func(r *usage.Record, f *usage.Facts) { f.Metric.Active, r.Corrects = false, "usg_1" }, "",
		},
		{"negative", func(r *usage.Record, _ *usage.Facts) { r.Quantity = money.Whole(-1) }, "usage_quantity_negative"},
		{"negative change of a level", func(r *usage.Record, f *usage.Facts) {
			r.Quantity, f.Metric.CarriesOver = money.Whole(-1), true
		}, ""},
		{"no property", func(_ *usage.Record, f *usage.Facts) { f.Metric.Property = "bytes" }, "usage_property_missing"},
		{"no number", func(r *usage.Record, f *usage.Facts) {
			f.Metric.Property, r.Properties = "bytes", usage.Properties{"bytes": "many"}
		}, "usage_property_invalid"},
		{"no key", func(_ *usage.Record, f *usage.Facts) { f.Metric.KeyProperty = "user" }, "usage_property_missing"},
	} {
		r, f := usage.Record{At: now, Quantity: money.Whole(1)}, facts
		c.change(&r, &f)
		err := usage.Admit(r, f)
		if c.code == "" {
			require.NoError(t, err, c.name)
			continue
		}
		require.Error(t, err, c.name)
		require.Equal(t, c.code, fault.From(err).Code, c.name)
	}
}

func TestCorrect(t *testing.T) {
	t.Parallel()
	original := usage.Record{ID: "usg_1", SubscriptionID: "sub_1", Metric: "m", Quantity: money.Whole(10), At: start}
	for _, c := range []struct {
		name         string
		before, by   int64
		subscription string
		corrects     string // of the original
		code         string
	}{
		{"a part", 0, -4, "sub_1", "", ""},
		{"all that is left", -6, -4, "sub_1", "", ""},
		{"more than is left", -7, -4, "sub_1", "", "usage_correction_too_large"},
		{"nothing", 0, 0, "sub_1", "", "usage_correction_not_negative"},
		{"more usage", 0, 1, "sub_1", "", "usage_correction_not_negative"},
		{"of another subscription", 0, -1, "sub_2", "", "usage_correction_mismatch"},
		{"of a correction", 0, -1, "sub_1", "usg_0", "usage_correction_mismatch"},
	} {
		o := original
		o.Corrects = c.corrects
		got, err := usage.Correct(o, money.Whole(c.before), usage.Metric{}, usage.Record{
			ID: "usg_2", SubscriptionID: c.subscription, Metric: "m", Quantity: money.Whole(c.by), Corrects: "key",
		})
		if c.code != "" {
			require.Error(t, err, c.name)
			require.Equal(t, c.code, fault.From(err).Code, c.name)
			continue
		}
		require.NoError(t, err, c.name)
		require.Equal(t, []any{"usg_1", start}, []any{got.Corrects, got.At}, c.name)
	}
}

func TestValidate_Record(t *testing.T) {
	t.Parallel()
	many := usage.Properties{}
	for i := range usage.MaxProperties + 1 {
		many[strings.Repeat("p", i+1)] = ""
	}
	for code, r := range map[string]usage.Record{
		"":                          {Key: "k", Properties: usage.Properties{"region": "eu"}},
		"usage_key_invalid":         {Key: "a\nb"},
		"usage_properties_too_many": {Key: "k", Properties: many},
		"usage_property_invalid":    {Key: "k", Properties: usage.Properties{"p": strings.Repeat("x", usage.MaxProperty+1)}},
	} {
		if err := r.Validate(); code == "" {
			require.NoError(t, err)
		} else {
			require.Equal(t, code, fault.From(err).Code)
		}
	}
}

func TestFingerprint_TellsFieldsApart(t *testing.T) {
	t.Parallel()
	r := usage.Record{SubscriptionID: "sub_1", Metric: "m", Quantity: money.Whole(1),
		Properties: usage.Properties{"a": "b"}}
	same := r
	same.ID, same.Properties = "usg_1", usage.Properties{"a": "b"}
	require.Equal(t, r.Fingerprint(), same.Fingerprint())
	seen := map[string]bool{string(r.Fingerprint()): true}
	for _, change := range []func(*usage.Record){
		func(r *usage.Record) { r.SubscriptionID = "sub_2" }, func(r *usage.Record) { r.Metric = "n" },
		func(r *usage.Record) { r.Quantity = money.Whole(2) }, func(r *usage.Record) { r.At = start },
		func(r *usage.Record) { r.Corrects = "k" }, func(r *usage.Record) { r.Properties = nil },
		func(r *usage.Record) { r.Properties = usage.Properties{"ab": ""} },
	} {
		other := r
		change(&other)
		require.False(t, seen[string(other.Fingerprint())])
		seen[string(other.Fingerprint())] = true
	}
}

func TestNext_Metric(t *testing.T) {
	t.Parallel()
	m := usage.Metric{ID: "met_1", Version: 1, Name: "m", Definition: usage.Definition{Aggregation: usage.Sum}}
	_, err := m.Next(usage.Definition{Aggregation: usage.Sum, GroupBy: []string{}}, start)
	require.Equal(t, "metric_version_unchanged", fault.From(err).Code)
	next, err := m.Next(usage.Definition{Aggregation: usage.Max}, start)
	require.NoError(t, err)
	require.Equal(t, "met_1.2", next.VersionID())
	id, version := usage.SplitVersionID(next.VersionID())
	require.Equal(t, []any{"met_1", 2}, []any{id, version})
	for param, d := range map[string]usage.Definition{
		"property":    {Aggregation: usage.Max, Property: "bytes"},
		"keyProperty": {Aggregation: usage.UniqueCount, KeyProperty: "user"},
		"carriesOver": {Aggregation: usage.WeightedSum},
	} {
		_, err := m.Next(d, start)
		require.Error(t, err, param)
		f := fault.From(err)
		require.Equal(t, []string{"metric_version_incompatible", param}, []string{f.Code, f.Param})
	}
	m.Version = usage.MaxVersions
	_, err = m.Next(usage.Definition{Aggregation: usage.Max}, start)
	require.Equal(t, "metric_versions_too_many", fault.From(err).Code)
}

func TestValidate_Metric(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		change func(*usage.Metric)
		code   string
	}{
		{func(*usage.Metric) {}, ""},
		{func(m *usage.Metric) { m.Name = "1st" }, "metric_name_invalid"},
		{func(m *usage.Metric) { m.Aggregation = "median" }, "aggregation_unknown"},
		{func(m *usage.Metric) { m.Aggregation = usage.UniqueCount }, "metric_property_unclear"},
		{func(m *usage.Metric) { m.KeyProperty = "user" }, "metric_property_unclear"},
		{func(m *usage.Metric) { m.Aggregation, m.Property = usage.Count, "bytes" }, "metric_property_unclear"},
		{func(m *usage.Metric) { m.GroupBy = []string{"a", "a"} }, "metric_property_unclear"},
		{func(m *usage.Metric) { m.Aggregation, m.CarriesOver = usage.Max, true }, "metric_carry_invalid"},
		{func(m *usage.Metric) { m.Conversion.DivideBy = money.Whole(0) }, "metric_conversion_invalid"},
		{func(m *usage.Metric) { m.Conversion.Digits = 2 }, "metric_conversion_invalid"},
		{func(m *usage.Metric) { m.Filter.Include = map[string][]string{"a": make([]string, 101)} },
			"metric_filter_too_large"},
	} {
		m := usage.Metric{Name: "m", Definition: usage.Definition{Aggregation: usage.Sum}}
		if c.change(&m); c.code == "" {
			require.NoError(t, m.Validate())
			continue
		}
		require.Equal(t, c.code, fault.From(m.Validate()).Code)
	}
}

func TestWindows(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	from := time.Date(2026, 3, 28, 12, 30, 0, 0, zone)
	for g, want := range map[usage.Granularity][]time.Duration{
		// the clocks go forward
		usage.ByDay:   {11*time.Hour + 30*time.Minute, 23 * time.Hour, 24 * time.Hour, 90 * time.Minute},
		usage.ByWeek:  {34*time.Hour + 30*time.Minute, 25*time.Hour + 30*time.Minute},
		usage.ByMonth: {60 * time.Hour},
		usage.Whole:   {60 * time.Hour},
	} {
		var got []time.Duration
		for _, w := range usage.Windows(g, from, from.Add(60*time.Hour), zone) {
			got = append(got, w.End.Sub(w.Start))
		}
		require.Equal(t, want, got, g)
	}
	hours := usage.Windows(usage.ByHour, from, from.Add(2*time.Hour), zone)
	require.Len(t, hours, 3)
	require.Equal(t, 30*time.Minute, hours[0].End.Sub(hours[0].Start))
	require.Len(t, usage.Windows(usage.ByHour, from, from.AddDate(1, 0, 0), zone), usage.MaxWindows+1)
}
