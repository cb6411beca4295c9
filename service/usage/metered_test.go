package usage

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/test/scene"
)

// reported is a record in the test's own list.
type reported struct {
	key, metric, user, region, tier string
	quantity, left                  int64 // as sent, and after corrections
	at                              time.Time
}

// inTime returns the quantities of records between two times, as text: sums of calls by region for the tier gold and 0
// for the others; users by region, or all together.
func inTime(all []*reported, start, end time.Time, component string) map[string]string {
	sums, latest := map[string]int64{}, map[string]map[string]*reported{}
	for _, r := range all {
		if r.at.Before(start) || !r.at.Before(end) || r.left == 0 && r.quantity != 0 {
			continue
		}
		lot := "0 "
		switch {
		case component == "calls" && r.metric == "calls" && r.tier == "gold":
			lot = fmt.Sprintf(`0 ["%s"]`, r.region)
			fallthrough
		case component == "calls" && r.metric == "calls":
			if lot == "0 " {
				lot = "-1 "
			}
			sums[lot] += r.left
		case component != "calls" && r.metric == "people":
			if component == "people by region" {
				lot = fmt.Sprintf(`0 ["%s"]`, r.region)
			}
			if latest[lot] == nil {
				latest[lot] = map[string]*reported{}
			}
			if known := latest[lot][r.user]; known == nil || !r.at.Before(known.at) { // of two at once the later received
				latest[lot][r.user] = r
			}
		}
	}
	said := map[string]string{}
	for lot, sum := range sums {
		said[lot] = strconv.FormatInt(sum, 10)
	}
	for lot, users := range latest {
		n := 0
		for _, r := range users {
			if r.left > 0 {
				n++
			}
		}
		said[lot] = strconv.Itoa(n)
	}
	return said
}

func saidOf(totals usage.Totals) map[string]string {
	said := map[string]string{}
	for _, q := range totals {
		said[string(q.Group)] = q.Value.String()
	}
	return said
}

// Segments with late records, corrections, a gap between two plans, and partial aggregates equal a recount of the list
// of reports, which does not use metrics.
func TestMeteredSegments_EqualRecount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	metric := func(name string, d usage.Definition) usage.Metric {
		m, err := h.CreateMetric(t.Context(), h.caller, NewMetric{Name: name, Definition: d}, nil)
		require.NoError(t, err)
		return m
	}
	calls := metric("calls", usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region", "tier"}})
	people := metric("people", usage.Definition{
		Aggregation: usage.UniqueCount, KeyProperty: "user", GroupBy: []string{"region"},
	})
	perUnit := rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(1)}
	component := func(id string, m usage.Metric, rate metered.Rate) metered.Component {
		rate.Price = perUnit
		return metered.Component{ID: id, MetricName: m.Name, MetricVersionID: m.VersionID(), Rates: []metered.Rate{rate}}
	}
	cumulated := component("calls", calls, metered.Rate{Where: map[string]string{"tier": "gold"}, By: []string{"region"}})
	cumulated.Cumulated = true
	one := &metered.Prices{
		Components: []metered.Component{cumulated, component("people", people, metered.Rate{})},
		Commitment: &metered.Commitment{ID: "least", Amount: 5},
	}
	two := &metered.Prices{Components: []metered.Component{
		component("people by region", people, metered.Rate{By: []string{"region"}}),
	}}
	now := h.Clock.Now().Truncate(time.Minute)
	ago := func(hours, minutes int) time.Time {
		return now.Add(-time.Duration(hours)*time.Hour - time.Duration(minutes)*time.Minute)
	}
	spans := []metered.Span{
		{Start: ago(100, 0), End: ago(80, 20), Prices: one}, {Start: ago(80, 20), End: ago(71, 7), Prices: one},
		{Start: ago(60, 33), End: ago(35, 17), Prices: two}, {Start: ago(35, 17), End: ago(20, 0), Prices: one},
		{Start: ago(20, 0), End: ago(2, 0), Prices: one},
	}
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), ago(120, 0)).ID
	r := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	var all []*reported
	send := func(n int) {
		for range n {
			one := &reported{
				key: "r" + strconv.Itoa(len(all)), metric: []string{"calls", "people"}[r.IntN(2)],
				user: "u" + strconv.Itoa(r.IntN(4)), region: []string{"eu", "us"}[r.IntN(2)],
				tier: []string{"gold", "free"}[r.IntN(2)], quantity: r.Int64N(5), at: ago(1+r.IntN(110), r.IntN(60)),
			}
			one.left = one.quantity
			record := usage.Record{
				SubscriptionID: sub, Metric: one.metric, Key: one.key, Quantity: money.Whole(one.quantity), At: one.at,
				Properties: usage.Properties{"user": one.user, "region": one.region, "tier": one.tier},
			}
			if len(all) > 0 && r.IntN(4) == 0 {
				if wrong := all[r.IntN(len(all))]; wrong.left > 0 {
					by := 1 + r.Int64N(wrong.left)
					wrong.left -= by
					record = usage.Record{
						SubscriptionID: sub, Metric: wrong.metric, Key: "c" + strconv.Itoa(r.Int()), Corrects: wrong.key,
						Quantity: money.Whole(-by),
					}
				}
			}
			if record.Corrects == "" {
				all = append(all, one)
			}
			outcome, err := h.RecordUsageBatch(t.Context(), h.caller, []usage.Record{record})
			require.NoError(t, err)
			require.NoError(t, outcome[0].Refusal)
		}
	}
	segments := func(from int) []metered.Segment {
		beats := 0
		got, err := h.usage.MeteredSegments(t.Context(), h.Env, sub, spans, from, db.UsageCounting{Beat: func(db.UsageCounted) { beats++ }})
		require.NoError(t, err)
		require.Positive(t, beats)
		return got
	}
	check := func(when string) {
		t.Helper()
		const from = 1
		got := segments(from)
		require.Len(t, got, len(spans)-from, when)
		for i, segment := range got {
			span := spans[from+i]
			require.Equal(t, []any{span.Start, span.Prices.Commitment}, []any{segment.Start, segment.Commitment}, when)
			require.Len(t, segment.Usage, len(span.Prices.Components), when)
			for _, used := range segment.Usage {
				require.Equal(t, inTime(all, span.Start, span.End, used.ID), saidOf(used.Quantities), "%s: %s, span %d", when, used.ID,
					from+i)
				before := map[string]string{}
				if used.Cumulated {
					var list []*reported
					for _, r := range all { // usage under other prices does not count here
						if r.at.Before(spans[1].End) && !r.at.Before(spans[0].Start) || !r.at.Before(spans[3].Start) {
							list = append(list, r)
						}
					}
					before = inTime(list, spans[0].Start, span.Start, used.ID)
				}
				require.Equal(t, before, saidOf(used.Before), "%s: %s before span %d", when, used.ID, from+i)
			}
		}
	}
	send(80)
	check("nothing is aggregated")
	behind, err := h.Store.Usage.Behind(t.Context(), 10)
	require.NoError(t, err)
	for _, version := range behind {
		require.NoError(t, h.Store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
			_, err := tx.Usage.RollUp(t.Context(), version, 15)
			return err
		}))
	}
	check("a part is aggregated")
	_, err = h.RollUpUsage(t.Context())
	require.NoError(t, err)
	check("all is aggregated")
	send(40)
	check("late records and corrections of what is aggregated")
	archived := false
	_, err = h.UpdateMetric(t.Context(), h.caller, people.ID, MetricUpdate{Active: &archived}, nil)
	require.NoError(t, err)
	check("a metric is archived")

	spans[4].Prices = &metered.Prices{Components: []metered.Component{{ID: "x", MetricVersionID: calls.ID + ".7"}}}
	_, err = h.usage.MeteredSegments(t.Context(), h.Env, sub, spans, 4, db.UsageCounting{})
	require.ErrorContains(t, err, "no metric version")
}

// More rows than a statement reads, across hours and within one, aggregated or not, are read part by part, and each
// counts once. Too many lots of a price are refused with its name.
func TestMeteredSegments_ManyRows(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	calls, err := h.CreateMetric(t.Context(), h.caller, NewMetric{Name: "calls", Definition: usage.Definition{
		Aggregation: usage.Sum, GroupBy: []string{"region"},
	}}, nil)
	require.NoError(t, err)
	end := h.Clock.Now().Truncate(time.Hour)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), end.Add(-60*24*time.Hour)).ID
	component := func(by ...string) *metered.Prices {
		return &metered.Prices{Components: []metered.Component{{
			ID: "calls", MetricName: "calls", MetricVersionID: calls.ID,
			Rates: []metered.Rate{{By: by, Price: rating.Price{Model: rating.PerUnit, UnitPrice: money.Whole(1)}}},
		}}}
	}
	exec := func(sql string, args ...any) {
		t.Helper()
		_, err := h.Pool.Exec(t.Context(), sql, args...)
		require.NoError(t, err)
	}
	var uncounted error
	count := func(p *metered.Prices, spans ...metered.Span) (quantity []string, lots, beats int, err error) {
		if spans == nil {
			spans = []metered.Span{{Start: end.Add(-40 * time.Hour), End: end}}
		}
		for i := range spans {
			spans[i].Prices = p
		}
		segments, err := h.usage.MeteredSegments(t.Context(), h.Env, sub, spans, 0, db.UsageCounting{Beat: func(db.UsageCounted) { beats++ }})
		for _, segment := range segments {
			uncounted = segment.Uncounted()
			sum := money.Whole(0)
			for _, q := range segment.Usage[0].Quantities {
				sum = sum.Add(q.Value)
			}
			quantity, lots = append(quantity, sum.String()), max(lots, len(segment.Usage[0].Quantities))
		}
		return quantity, lots, beats, err
	}
	records := func(subscription, id string, n int, each time.Duration) {
		exec(`insert into usage_records (at, environment_id, subscription_id, metric_id, id, quantity, properties)
			select $1::timestamptz - i * $2::interval, $3, $4, $5, $7 || i, 1, jsonb_build_object('region', 'r' || i % 3)
			from generate_series(1, $6) i`, end, each, h.Env, subscription, calls.ID, n, id)
	}
	// 40 hours with 300 records each, none of them aggregated, and as many of another subscription.
	records(sub, "usg_a", 12_000, 12*time.Second)
	records("sub_other", "usg_b", 6_000, time.Second)
	quantity, lots, beats, err := count(component("region"))
	require.NoError(t, err)
	require.Equal(t, []any{[]string{"12000"}, 3, 2}, []any{quantity, lots, beats}, "two parts")
	cut := end.Add(-38*time.Hour - time.Minute)
	quantity, _, _, err = count(component(), metered.Span{Start: end.Add(-40 * time.Hour), End: cut},
		metered.Span{Start: cut, End: end})
	require.NoError(t, err)
	require.Equal(t, []string{"595", "11405"}, quantity, "an hour that is cut, in the first of two parts")
	_, err = h.RollUpUsage(t.Context())
	require.NoError(t, err)
	quantity, _, beats, err = count(component("region"))
	require.NoError(t, err)
	require.Equal(t, []any{[]string{"12000"}, 1}, []any{quantity, beats}, "120 rows are one part")

	records("sub_other", "usg_c", 6_000, time.Second)
	records(sub, "usg_d", 12_000, 12*time.Second)
	quantity, _, _, err = count(component())
	require.NoError(t, err)
	require.Equal(t, []string{"24000"}, quantity, "aggregates beside a long tail")

	aggregates := func(hour time.Time, dimensions int) {
		exec(`insert into usage_aggregates (environment_id, subscription_id, version_id, bucket, dimension, first_position, state)
			select $1, $2, $3, $4, '["x' || i || '"]', 1, '{"n": 1, "sum": "1"}' from generate_series(1, $5) i`,
			h.Env, sub, calls.ID, hour, dimensions)
	}
	for i := range 5 {
		aggregates(end.Add(-time.Duration(30+i)*time.Hour), 4_000)
	}
	aggregates(end.Add(-10*time.Hour), 15_000)
	quantity, lots, beats, err = count(component("region"))
	require.NoError(t, err)
	require.Equal(t, []any{[]string{"59000"}, 15_003}, []any{quantity, lots})
	require.Greater(t, beats, 3)
	quantity, lots, _, err = count(component())
	require.NoError(t, err)
	require.Equal(t, []any{[]string{"59000"}, 1}, []any{quantity, lots})

	aggregates(end.Add(-9*time.Hour), metered.MaxLots)
	_, _, _, err = count(component("region"))
	require.NoError(t, err)
	require.Equal(t, "metered_lots_too_many", fault.From(uncounted).Code, "the other prices are counted")
	quantity, _, _, err = count(component())
	require.NoError(t, err)
	require.Equal(t, []string{"159000"}, quantity)
}
