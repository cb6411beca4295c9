package usage_test

import (
	"fmt"
	"maps"
	"slices"
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
			"prorated_values":   peercases.NewReader(checkProratedValues),
		},
		Excluded: []peercases.Exclusion{
			{
				Rule: "prorated-sum-by-day", When: withinDays,
				Reason: "levels are averaged by time (weighted_sum), not by days begun",
			},
			{
				Rule: "prorated-sum-by-day", When: lastsBeyond,
				Reason: "a level counts for as long as it lasts within the period",
			},
			{Rule: "prorated-unique-count-by-day", Reason: "keys are counted at the end of a period, not by days present"},
			{Kind: "aggregate_windows", When: ofMinutes, Reason: "a series has windows of an hour or longer"},
			{Rule: "lago-in-advance-period-maximum", Reason: "usage is billed in arrears"},
			{Rule: "lago-running-total", Reason: "no metric has free units; a price has them"},
		},
	}.Run(t)
}

// peerEvent is a record in the form of the cases.
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
	DedupeBy  []string `json:"dedupe_by"`
	Persisted int      `json:"persisted_days"` // the days after which the level of each event ends
}

var peerAggregations = map[string]usage.Aggregation{
	"sum": usage.Sum, "count": usage.Count, "max": usage.Max, "latest": usage.Last, "unique_count": usage.UniqueCount,
	"weighted_sum": usage.WeightedSum, "values": usage.Sum,
	// A level that changes at midnight has the same mean by days and by time.
	"prorated_sum": usage.WeightedSum, "prorated_values": usage.WeightedSum,
}

// valueProperty is the property for the cases' values.
const valueProperty = "$value"

func (p peerMetric) metric() usage.Metric {
	m := usage.Metric{ID: "met_1", Version: 1, Name: "m", Active: true, Definition: usage.Definition{
		Aggregation: peerAggregations[p.Aggregation],
		Filter:      usage.Filter{Include: p.Filter.Include, Exclude: p.Filter.Exclude},
		GroupBy:     p.GroupBy, CarriesOver: p.IgnoreFrom,
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

// span returns the period of a case. An inclusive end is the last second, or part of one, of the period.
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

// records returns the events as our callers send them.
func (p peerMetric) records(t *testing.T) []usage.Record {
	t.Helper()
	require.Contains(t, peerAggregations, p.Aggregation, "an aggregation that is not known")
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
	if p.Initial != nil { // for each group
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
		require.Contains(t, []string{"", "add", "remove"}, e.Operation, "an operation that is not known")
		stored := e.Timestamp
		if e.StoredAt != nil {
			stored = *e.StoredAt
		}
		takes := func(a arrival) bool { return a.takes(stored) }
		if slices.ContainsFunc(p.StoredAt.All, func(a arrival) bool { return !takes(a) }) ||
			len(p.StoredAt.Any) > 0 && !slices.ContainsFunc(p.StoredAt.Any, takes) {
			continue
		}
		r := usage.Record{ID: fmt.Sprintf("%06d", i), At: e.Timestamp, Quantity: money.Whole(1),
			Properties: usage.Properties{}}
		maps.Copy(r.Properties, e.Properties)
		if e.Value != nil {
			r.Properties[valueProperty] = *e.Value
		}
		if e.Operation == "remove" {
			r.Quantity = money.Whole(0)
		}
		// The peer keeps the later one of two with one id and time. Here a key identifies one record, and the later one is
		// refused, so only one of them is sent.
		require.Subset(t, []string{"id", "source"}, p.DedupeBy, "a property that is not known")
		key := e.ID
		if e.ID != "" && len(p.DedupeBy) == 0 {
			key += "@" + e.Timestamp.String()
		}
		add(r, key)
	}
	return append(records, p.endings(t, records)...)
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
	Rounding    string      `json:"rounding"`    // of Decimals; default: half-up
	Tolerance   *string     `json:"tolerance"`   // the largest difference
	Units       *string     `json:"units"`       // the sum of the levels, at any time
	AssertedAs  string      `json:"asserted_as"` // the form of the value in the peer's test
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
	counted := func(q usage.Quantity) int64 {
		if in.Persisted > 0 { // each has an end
			return q.Records / 2
		}
		return q.Records - initial
	}
	same := func(wanted string, got money.Decimal) { t.Helper(); want.same(t, wanted, got) }
	if want.Units != nil {
		same(*want.Units, in.level(t))
	}
	if want.Groups != nil {
		require.Len(t, totals, len(want.Groups))
		for _, g := range want.Groups {
			found := find(totals, in.metric().GroupBy, g.Group)
			require.NotNil(t, found, "group %v", g.Group)
			same(g.Value, found.Value)
			if g.EventsCount != nil {
				require.Equal(t, *g.EventsCount, counted(*found))
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
	if want.EventsCount != nil && in.Aggregation != "unique_count" { // the peer counts keys there, and we count records
		require.Equal(t, *want.EventsCount, counted(total))
	}
	if want.Variation != nil || want.LevelAtEnd != nil {
		level := in.level(t)
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
