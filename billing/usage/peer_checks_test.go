package usage_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
)

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

// granularities are the windows of the cases that we support.
var granularities = []usage.Granularity{usage.ByHour, usage.ByDay, usage.ByWeek, usage.ByMonth}

func checkWindows(t *testing.T, in peerWindowed, want struct {
	Windows []peerWindow `json:"windows"`
}) {
	m, measured := in.metric(), in.measured(t)
	zone, err := time.LoadLocation(in.Timezone)
	require.NoError(t, err)
	require.Contains(t, granularities, usage.Granularity(in.Window), "a window that is not known")
	for _, w := range want.Windows { // whole ones: the peer widens the requested range
		require.True(t, in.To.IsZero() || w.From.Before(in.To) && w.To.After(in.From), "a window of the range")
		whole := []usage.Span{{Start: w.From.UTC(), End: w.To.UTC()}}
		require.Equal(t, whole, usage.Windows(usage.Granularity(in.Window), w.From, w.To, zone))
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
	require.Contains(t, granularities, usage.Granularity(in.Window), "a window that is not known")
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
	require.Contains(t, peerAggregations, in.Aggregation, "an aggregation that is not known")
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
	if want.Group == nil {
		return
	}
	require.Len(t, want.Group, len(in.GroupBy))
	for i, name := range in.GroupBy {
		w, asked := want.Group[name]
		require.True(t, asked, "a group by %s", name)
		if w != nil && *w == "" { // a missing property is null here, empty there
			w = nil
		}
		require.Equal(t, w, got.Group.Values()[i])
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
	for _, q := range in.totals(t) { // each group is priced separately, here at one price
		units, records = units.Add(q.Value), records+q.Records
	}
	if want.Units != nil {
		w := decimal(t, *want.Units)
		require.Equal(t, w.String(), units.RoundTo(digitsOf(*want.Units), money.RoundHalfUp).String())
	}
	if want.AmountMinor != nil { // a price per unit, which plans have, rates it
		price := rating.Price{Model: rating.PerUnit, UnitPrice: decimal(t, in.UnitPrice)}
		require.NoError(t, price.Validate())
		currency, known := map[int32]money.Currency{0: "JPY", 2: "USD", 3: "KWD"}[in.Decimals]
		require.True(t, known, "no currency has %d decimals", in.Decimals)
		rated, err := price.Rate(units, currency)
		require.NoError(t, err)
		require.EqualValues(t, *want.AmountMinor, rated.Amount)
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
	how := map[string]money.Rounding{"round": money.RoundHalfUp, "ceil": money.RoundUp,
		"floor": money.RoundDown}[in.Function]
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
	in.Filter.Include = map[string][]string{valueProperty: {in.Key}}
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

// checkSegments sums the contributions of the segments: here only their sum exists.
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
