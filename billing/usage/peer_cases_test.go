package usage_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/internal/testkit/peercases"
)

func TestPeerCasesOfAggregations(t *testing.T) {
	t.Parallel()
	peercases.Suite{
		Category: "d_aggregations",
		Readers: map[string]peercases.Reader{
			"aggregate":         peercases.NewReader(checkAggregate),
			"aggregate_windows": peercases.NewReader(checkWindows),
			"window_bounds":     peercases.NewReader(checkWindowBounds),
			"event_selection":   peercases.NewReader(checkSelection),
			"event_value":       peercases.NewReader(checkEventValue),
			"metered_amount":    peercases.NewReader(checkMeteredAmount),
			"round_units":       peercases.NewReader(checkRoundUnits),
			"unique_key_active": peercases.NewReader(checkKeyActive),
			"weighted_segments": peercases.NewReader(checkSegments),
			"sum_per_period":    peercases.NewReader(checkSumPerPeriod),
		},
		Excluded: []peercases.Exclusion{
			{Rule: "prorated-sum-by-day", Reason: "levels are averaged by time (weighted_sum), not by days begun"},
			{Rule: "prorated-unique-count-by-day", Reason: "keys are counted at the end of a period, not by days present"},
			{Rule: "lago-in-advance-period-maximum", Reason: "usage is billed in arrears"},
			{Rule: "lago-running-total", Reason: "free units are the price's question"},
		},
	}.Run(t)
}

// peerEvent is a record as the cases have it.
type peerEvent struct {
	Timestamp  time.Time         `json:"timestamp"`
	Value      *string           `json:"value"`
	Properties map[string]string `json:"properties"`
	ID         string            `json:"id"`
	Operation  string            `json:"operation"`
	StoredAt   *time.Time        `json:"stored_at"`
}

type peerFilter struct {
	Include map[string][]string   `json:"include"`
	Exclude []map[string][]string `json:"exclude"`
}

type arrival struct {
	Lt, Lte, Gt, Gte *time.Time
}

type peerMetric struct {
	Aggregation  string             `json:"aggregation"`
	From         time.Time          `json:"from"`
	To           time.Time          `json:"to"`
	ToInclusive  bool               `json:"to_inclusive"`
	PeriodDays   int                `json:"period_days"`
	Events       []peerEvent        `json:"events"`
	Filter       peerFilter         `json:"filter"`
	GroupBy      []string           `json:"group_by"`
	GroupValue   map[string]*string `json:"group_value"`
	MaxTimestamp *time.Time         `json:"max_timestamp"`
	IgnoreFrom   bool               `json:"ignore_from"`
	Initial      *string            `json:"initial_value"`
	StoredAt     struct {
		All, Any []arrival
	} `json:"stored_at_filter"`
	DedupeBy []string `json:"dedupe_by"`
}

var peerAggregations = map[string]usage.Aggregation{
	"sum": usage.Sum, "count": usage.Count, "max": usage.Max, "latest": usage.Last, "unique_count": usage.UniqueCount,
	"weighted_sum": usage.WeightedSum, "values": usage.Sum,
}

// valueProperty is where the cases' values go.
const valueProperty = "$value"

func (p peerMetric) metric() usage.Metric {
	m := usage.Metric{ID: "met_1", Version: 1, Name: "m", Active: true, Definition: usage.Definition{
		Aggregation: peerAggregations[p.Aggregation], Filter: usage.Filter{Include: p.Filter.Include, Exclude: p.Filter.Exclude},
		GroupBy: p.GroupBy, CarriesOver: p.IgnoreFrom,
	}}
	switch m.Aggregation {
	case usage.UniqueCount:
		m.KeyProperty = valueProperty
	case usage.Count:
	default:
		m.Property = valueProperty
	}
	for name := range p.GroupValue {
		m.GroupBy = append(m.GroupBy, name)
	}
	slices.Sort(m.GroupBy[len(p.GroupBy):])
	return m
}

// span is the period of a case. An inclusive end is the last second, or part of one, of the period.
func (p peerMetric) span() usage.Span {
	s := usage.Span{Start: p.From, End: p.To, Weight: time.Duration(p.PeriodDays) * 24 * time.Hour}
	if p.ToInclusive {
		s.End = s.End.Truncate(time.Second).Add(time.Second)
	}
	if p.MaxTimestamp != nil {
		s.End = p.MaxTimestamp.Add(time.Microsecond)
	}
	if s.End.IsZero() { // without bounds
		s.Start, s.End = time.Unix(0, 0), time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return s
}

func (a arrival) takes(at time.Time) bool {
	return (a.Lt == nil || at.Before(*a.Lt)) && (a.Lte == nil || !at.After(*a.Lte)) &&
		(a.Gt == nil || at.After(*a.Gt)) && (a.Gte == nil || !at.Before(*a.Gte))
}

// records are the events as callers of ours send them.
func (p peerMetric) records(t *testing.T) []usage.Record {
	t.Helper()
	place := map[string]int{}
	var records []usage.Record
	add := func(r usage.Record, key string) {
		if i, again := place[key]; again && key != "" {
			records[i] = r
			return
		}
		place[key] = len(records)
		records = append(records, r)
	}
	if p.Initial != nil { // of each group
		groups := map[string]map[string]string{}
		for _, e := range p.Events {
			groups[fmt.Sprint(e.Properties)] = e.Properties
		}
		if len(p.GroupBy) == 0 {
			groups = map[string]map[string]string{"": nil}
		}
		for name, properties := range groups {
			r := usage.Record{ID: "initial" + name, At: p.From.Add(-time.Hour), Properties: usage.Properties{}}
			maps.Copy(r.Properties, properties)
			r.Properties[valueProperty] = *p.Initial
			add(r, "")
		}
	}
	for i, e := range p.Events {
		stored := e.Timestamp
		if e.StoredAt != nil {
			stored = *e.StoredAt
		}
		takes := func(a arrival) bool { return a.takes(stored) }
		if slices.ContainsFunc(p.StoredAt.All, func(a arrival) bool { return !takes(a) }) ||
			len(p.StoredAt.Any) > 0 && !slices.ContainsFunc(p.StoredAt.Any, takes) {
			continue
		}
		r := usage.Record{ID: fmt.Sprintf("%06d", i), At: e.Timestamp, Quantity: money.Whole(1), Properties: usage.Properties{}}
		maps.Copy(r.Properties, e.Properties)
		if e.Value != nil {
			r.Properties[valueProperty] = *e.Value
		}
		if e.Operation == "remove" {
			r.Quantity = money.Whole(0)
		}
		// Of two with one id and time the peer keeps the later one; here a key stands for one record, and the later one is
		// refused, so that only one of them is sent.
		key := e.ID
		if e.ID != "" && len(p.DedupeBy) == 0 {
			key += "@" + e.Timestamp.String()
		}
		add(r, key)
	}
	return records
}

func (p peerMetric) measured(t *testing.T) []usage.Measured {
	t.Helper()
	m, out := p.metric(), []usage.Measured(nil)
	for _, r := range p.records(t) {
		if one, counts := m.Measure(r); counts {
			out = append(out, one)
		}
	}
	return out
}

func (p peerMetric) totals(t *testing.T) usage.Totals {
	t.Helper()
	m := p.metric()
	return m.Series([]usage.Span{p.span()}, m.GroupBy, nil, p.measured(t))[0]
}

type peerResult struct {
	Value       *string     `json:"value"`
	EventsCount *int64      `json:"events_count"`
	Groups      []peerGroup `json:"groups"`
	Decimals    *int32      `json:"decimals"`
	Variation   *string     `json:"variation"`
	LevelAtEnd  *string     `json:"level_at_end"`
}

type peerGroup struct {
	Group       map[string]*string `json:"group"`
	Value       string             `json:"value"`
	EventsCount *int64             `json:"events_count"`
}

func checkAggregate(t *testing.T, in peerMetric, want peerResult) {
	totals := in.totals(t)
	initial := int64(0)
	if in.Initial != nil {
		initial = 1
	}
	same := func(wanted string, got money.Decimal) {
		t.Helper()
		w := decimal(t, wanted)
		if want.Decimals != nil {
			w, got = w.RoundTo(*want.Decimals, money.RoundHalfUp), got.RoundTo(*want.Decimals, money.RoundHalfUp)
		}
		require.Equal(t, w.String(), got.String())
	}
	if want.Groups != nil {
		require.Len(t, totals, len(want.Groups))
		for _, g := range want.Groups {
			found := find(totals, in.metric().GroupBy, g.Group)
			require.NotNil(t, found, "group %v", g.Group)
			same(g.Value, found.Value)
			if g.EventsCount != nil {
				require.Equal(t, *g.EventsCount, found.Records-initial)
			}
		}
		return
	}
	total := usage.Quantity{Value: money.Whole(0)}
	if in.GroupValue != nil {
		if found := find(totals, in.metric().GroupBy, in.GroupValue); found != nil {
			total = *found
		}
	} else if len(totals) > 0 {
		total = totals[0]
	}
	if want.Value != nil {
		same(*want.Value, total.Value)
	}
	if want.EventsCount != nil && in.Aggregation != "unique_count" { // which counts keys there, and records here
		require.Equal(t, *want.EventsCount, total.Records-initial)
	}
	if want.Variation != nil || want.LevelAtEnd != nil {
		m := in.metric()
		m.Aggregation, m.CarriesOver = usage.Sum, true
		level := money.Whole(0)
		if sums := m.Series([]usage.Span{in.span()}, nil, nil, in.measured(t))[0]; len(sums) > 0 {
			level = sums[0].Value
		}
		if want.LevelAtEnd != nil {
			same(*want.LevelAtEnd, level)
		}
		if want.Variation != nil {
			before := money.Whole(0)
			if in.Initial != nil {
				before = decimal(t, *in.Initial)
			}
			same(*want.Variation, level.Sub(before))
		}
	}
}

func find(totals usage.Totals, names []string, group map[string]*string) *usage.Quantity {
	for i, q := range totals {
		values, same := q.Group.Values(), true
		for n, name := range names {
			w := group[name]
			same = same && (w == nil) == (values[n] == nil) && (w == nil || *w == *values[n])
		}
		if same {
			return &totals[i]
		}
	}
	return nil
}

type peerWindow struct {
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Value string    `json:"value"`
}

type peerWindowed struct {
	peerMetric
	Window   string `json:"window"`
	Timezone string `json:"timezone"`
}

func checkWindows(t *testing.T, in peerWindowed, want struct {
	Windows []peerWindow `json:"windows"`
}) {
	m, measured := in.metric(), in.measured(t)
	for _, w := range want.Windows {
		totals := m.Series([]usage.Span{{Start: w.From, End: w.To}}, nil, nil, measured)[0]
		require.Len(t, totals, 1)
		require.Equal(t, decimal(t, w.Value).String(), totals[0].Value.String())
	}
}

func checkWindowBounds(t *testing.T, in peerWindowed, want struct {
	Windows []peerWindow `json:"windows"`
	Count   int          `json:"count"`
}) {
	zone, err := time.LoadLocation(in.Timezone)
	require.NoError(t, err)
	windows := usage.Windows(usage.Granularity(in.Window), in.From, in.To, zone)
	require.Len(t, windows, want.Count)
	for i, w := range want.Windows {
		require.True(t, w.From.Equal(windows[i].Start) && w.To.Equal(windows[i].End), "%v", windows[i])
	}
}

func checkSelection(t *testing.T, in peerMetric, want struct {
	Values []string `json:"values"`
}) {
	span := in.span()
	var values []string
	for _, m := range in.measured(t) {
		if m.At.Before(span.End) && (in.IgnoreFrom || !m.At.Before(span.Start)) {
			values = append(values, m.Value.String())
		}
	}
	require.Equal(t, want.Values, values)
}

func checkEventValue(t *testing.T, in struct {
	Aggregation string         `json:"aggregation"`
	Data        map[string]any `json:"data"`
	Property    *string        `json:"value_property"`
	GroupBy     []string       `json:"group_by"`
}, want struct {
	Value   *string            `json:"value"`
	Group   map[string]*string `json:"group"`
	Invalid bool               `json:"invalid"`
},
) {
	m := usage.Metric{Name: "m", Definition: usage.Definition{
		Aggregation: peerAggregations[in.Aggregation], GroupBy: in.GroupBy,
	}}
	r := usage.Record{Quantity: money.Whole(1), Properties: usage.Properties{}}
	for name, value := range in.Data {
		text, err := json.Marshal(value)
		require.NoError(t, err)
		if s, is := value.(string); is {
			r.Properties[name] = s
		} else if value != nil {
			r.Properties[name] = string(text)
		}
	}
	if in.Property != nil && m.Aggregation != usage.Count {
		m.Property = *in.Property
	}
	got, counts := m.Measure(r)
	require.Equal(t, !want.Invalid, counts)
	if want.Value != nil {
		require.Equal(t, *want.Value, got.Value.String())
	}
	for i, name := range in.GroupBy {
		if w := want.Group[name]; w != nil && *w != "" { // a property that is absent is null here, empty there
			require.Equal(t, *w, *got.Group.Values()[i])
		}
	}
}

func checkMeteredAmount(t *testing.T, in struct {
	peerMetric
	UnitPrice string `json:"unit_price"`
	Decimals  int32  `json:"currency_decimals"`
}, want struct {
	Units       *string `json:"units"`
	AmountMinor *int64  `json:"amount_minor"`
	EventsCount *int64  `json:"events_count"`
},
) {
	units, records := money.Whole(0), int64(0)
	for _, q := range in.totals(t) { // each group is priced by itself, at one price here
		units, records = units.Add(q.Value), records+q.Records
	}
	if want.Units != nil {
		w := decimal(t, *want.Units)
		require.Equal(t, w.String(), units.RoundTo(digitsOf(*want.Units), money.RoundHalfUp).String())
	}
	if want.AmountMinor != nil {
		minor := units.Mul(decimal(t, in.UnitPrice)).RoundTo(in.Decimals, money.RoundHalfUp)
		for range in.Decimals {
			minor = minor.Mul(money.Whole(10))
		}
		require.Equal(t, strconv.FormatInt(*want.AmountMinor, 10), minor.String())
	}
	if want.EventsCount != nil {
		require.Equal(t, *want.EventsCount, records)
	}
}

func digitsOf(s string) int32 {
	for i := range len(s) {
		if s[i] == '.' {
			return int32(len(s) - i - 1)
		}
	}
	return 0
}

func checkRoundUnits(t *testing.T, in struct {
	Units    string `json:"units"`
	Function string `json:"function"`
	Decimals int32  `json:"decimals"`
}, want struct {
	Units string `json:"units"`
},
) {
	how := map[string]money.Rounding{"round": money.RoundHalfUp, "ceil": money.RoundUp, "floor": money.RoundDown}[in.Function]
	got := usage.Conversion{Rounding: how, Digits: in.Decimals}.Apply(decimal(t, in.Units))
	require.Equal(t, decimal(t, want.Units).String(), got.String())
}

func checkKeyActive(t *testing.T, in struct {
	peerMetric
	Key string    `json:"key"`
	At  time.Time `json:"at"`
}, want struct {
	Active bool `json:"active"`
},
) {
	in.Aggregation = "unique_count"
	m := in.metric()
	totals := m.Series([]usage.Span{{Start: in.From, End: in.At.Add(time.Microsecond)}}, nil, nil, in.measured(t))[0]
	require.Equal(t, want.Active, len(totals) == 1 && totals[0].Value.Sign() > 0)
}

type segment struct {
	At           time.Time `json:"at"`
	Change       string    `json:"change"`
	Level        string    `json:"level"`
	Seconds      int64     `json:"seconds"`
	Contribution string    `json:"contribution"`
}

// checkSegments adds up what each segment contributes: there are no segments here, only their sum.
func checkSegments(t *testing.T, in peerMetric, want struct {
	Segments  []segment `json:"segments"`
	Tolerance string    `json:"tolerance"`
},
) {
	sum := money.Whole(0)
	for _, s := range want.Segments {
		sum = sum.Add(decimal(t, s.Contribution))
	}
	got := money.Whole(0)
	if totals := in.totals(t); len(totals) > 0 {
		got = totals[0].Value
	}
	off := got.Sub(sum)
	if off.Sign() < 0 {
		off = money.Whole(0).Sub(off)
	}
	bound := decimal(t, want.Tolerance).Mul(money.Whole(int64(len(want.Segments))))
	require.LessOrEqual(t, off.Cmp(bound), 0, "%s is not %s", got, sum)
}

func checkSumPerPeriod(t *testing.T, in struct {
	Periods []struct{ Start, End string }
	Events  []struct{ At, Unit, Value string }
}, want struct {
	Sums []map[string]string `json:"sums"`
},
) {
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		require.NoError(t, err)
		return at
	}
	var spans []usage.Span
	for _, p := range in.Periods {
		spans = append(spans, usage.Span{Start: day(p.Start), End: day(p.End)})
	}
	m := usage.Metric{Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"unit"}}}
	var records []usage.Measured
	for i, e := range in.Events {
		one, _ := m.Measure(usage.Record{
			ID: strconv.Itoa(i), At: day(e.At), Quantity: decimal(t, e.Value), Properties: usage.Properties{"unit": e.Unit},
		})
		records = append(records, one)
	}
	for i, totals := range m.Series(spans, m.GroupBy, nil, records) {
		for unit, w := range want.Sums[i] {
			got := money.Whole(0)
			if found := find(totals, m.GroupBy, map[string]*string{"unit": &unit}); found != nil {
				got = found.Value
			}
			require.Equal(t, w, got.String())
		}
	}
}

func decimal(t *testing.T, s string) money.Decimal {
	t.Helper()
	d, err := money.ReadDecimal(s)
	require.NoError(t, err)
	return d
}
