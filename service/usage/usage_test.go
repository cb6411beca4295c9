package usage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/testkit"
	"perennial/test/scene"
)

// meters returns a metric of each aggregation, by name.
func (h *house) meters(t *testing.T) []usage.Metric {
	t.Helper()
	var metrics []usage.Metric
	for _, a := range usage.Aggregations() {
		d := usage.Definition{Aggregation: a, GroupBy: []string{"region"}}
		if a == usage.UniqueCount || a == usage.LatestPerKey {
			d.KeyProperty = "user"
		}
		m, err := h.CreateMetric(t.Context(), h.caller, NewMetric{Name: string(a), Definition: d}, nil)
		require.NoError(t, err)
		metrics = append(metrics, m)
	}
	return metrics
}

// streamed returns a random stream of one subscription: late and unordered records, with corrections, some of them
// twice.
func streamed(r *rand.Rand, subscription string, metrics []usage.Metric, now time.Time) []usage.Record {
	var out []usage.Record
	for i := range 60 {
		for _, m := range metrics {
			record := usage.Record{
				SubscriptionID: subscription, Metric: m.Name, Key: fmt.Sprint(m.Name, i),
				Quantity: money.Whole(1 + r.Int64N(4)), At: now.Add(-time.Duration(r.IntN(300)) * time.Minute),
				Properties: usage.Properties{"user": strconv.Itoa(r.IntN(5)), "region": []string{"eu", "us"}[r.IntN(2)]},
			}
			out = append(out, record)
			if r.IntN(6) == 0 {
				out = append(out, usage.Record{
					SubscriptionID: subscription, Metric: m.Name, Key: fmt.Sprint(m.Name, i, "c"), Corrects: record.Key,
					Quantity: money.Whole(-1 - r.Int64N(4)),
				})
			}
			if r.IntN(4) == 0 {
				out = append(out, out[r.IntN(len(out))])
			}
		}
	}
	return out
}

// For any order of records and any merges, quantities equal those of the accepted records, and a recount finds every
// aggregate right.
func TestUsage_RandomStreamsEqualRecount(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	metrics := h.meters(t)
	now := h.Clock.Now().Truncate(time.Microsecond)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), now.Add(-24*time.Hour)).ID
	r := rand.New(rand.NewPCG(testkit.Seed(t), 0))
	stream := streamed(r, sub, metrics, now)
	accepted := map[string]usage.Record{} // by id
	ids := map[string]string{}            // of keys
	for len(stream) > 0 {
		n := min(1+r.IntN(150), len(stream))
		outcomes, err := h.RecordUsageBatch(t.Context(), h.caller, stream[:n])
		require.NoError(t, err)
		for i, o := range outcomes {
			if o.Refusal != nil {
				require.NotEmpty(t, stream[i].Corrects, "%v", o.Refusal)
				continue
			}
			record := o.Record
			if record.Corrects != "" {
				original := accepted[ids[record.Corrects]]
				record.Corrects, record.At, record.Properties = original.ID, original.At, original.Properties
			}
			if record.Position = accepted[record.ID].Position; record.Position == 0 {
				record.Position = int64(len(accepted) + 1) // the position of corrections does not count
			}
			ids[record.Key] = record.ID
			accepted[record.ID] = record
		}
		stream = stream[n:]
		if r.IntN(3) == 0 { // a part of the tail, in some versions
			behind, err := h.Store.Usage.Behind(t.Context(), 1+r.IntN(8))
			require.NoError(t, err)
			for _, version := range behind {
				require.NoError(t, h.Store.InTx(t.Context(), db.BySystem("test"), now, func(tx *db.Tx) error {
					_, err := tx.Usage.RollUp(t.Context(), version, 1+r.IntN(40))
					return err
				}))
			}
		}
	}
	require.Equal(t, len(accepted), h.count(t, "select count(*) from usage_records"))
	require.Equal(t, len(accepted), h.count(t, "select count(*) from usage_keys"))
	periods := []usage.Span{
		{Start: now.Add(-297 * time.Minute), End: now.Add(-133 * time.Minute)},
		{Start: now.Add(-133 * time.Minute), End: now},
	}
	check := func(when string) {
		for _, m := range metrics {
			var all []usage.Measured
			for _, record := range accepted {
				if one, counts := m.Measure(record); counts && record.Metric == m.Name {
					all = append(all, one)
				}
			}
			got, err := h.Quantities(t.Context(), h.Env, sub, m, periods, m.GroupBy)
			require.NoError(t, err)
			for i, want := range m.Series(periods, m.GroupBy, nil, all) {
				require.Equal(t, fmt.Sprint(want), fmt.Sprint(got[i]), "%s, %s, period %d", when, m.Name, i)
			}
		}
	}
	check("with a tail")
	_, err := h.RollUpUsage(t.Context())
	require.NoError(t, err)
	check("merged")

	rebuild := func(dry bool) db.RebuiltUsage {
		found, err := h.RebuildUsage(t.Context(), h.caller.Actor, Rebuild{EnvironmentID: h.Env, Dry: dry})
		require.NoError(t, err)
		return found
	}
	found := rebuild(true)
	require.Equal(t, []int{len(accepted), 0, 0}, []int{found.Records, found.Different, found.Kept})
	_, err = h.Pool.Exec(t.Context(), `update usage_aggregates set state = jsonb_set(state, '{n}', '77') where ctid in (
		select ctid from usage_aggregates order by bucket, version_id, dimension limit 1)`)
	require.NoError(t, err)
	require.Equal(t, 1, rebuild(true).Different)
	require.Equal(t, 1, rebuild(false).Different, "and it is corrected")
	require.Zero(t, rebuild(true).Different)
	check("rebuilt")
}

// A new version of a metric with many records does not serve before it has counted them; requests that name it get
// exact results.
func TestUsage_VersionCatchesUp(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	one, err := h.CreateMetric(t.Context(), h.caller, NewMetric{
		Name: "calls", Definition: usage.Definition{Aggregation: usage.Sum},
	}, nil)
	require.NoError(t, err)
	now := h.Clock.Now().Truncate(time.Microsecond)
	ref := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), now.Add(-24*time.Hour))
	sub, err := h.Store.Subscriptions.Get(t.Context(), h.Env, ref.ID)
	require.NoError(t, err)
	write := func(subscription string, n int) {
		_, err := h.Pool.Exec(t.Context(), `
			insert into usage_records (at, environment_id, subscription_id, metric_id, id, quantity) select $1, $2, $3, $4,
				'usg_' || $3 || i, 2 from generate_series(1, $5) i`, now.Add(-time.Hour), h.Env, subscription,
			one.ID, n)
		require.NoError(t, err)
	}
	write(sub.ID, 2)
	write("sub_other", 5001)
	_, err = h.RollUpUsage(t.Context())
	require.NoError(t, err)
	two, err := h.UpdateMetric(t.Context(), h.caller, one.ID, MetricUpdate{
		Definition: &usage.Definition{Aggregation: usage.Max},
	}, nil)
	require.NoError(t, err)
	served := func() (answered []string) {
		for _, name := range []string{"calls", ""} {
			answers, err := h.Used(t.Context(), h.caller, sub, Question{MetricName: name, Granularity: usage.Whole})
			require.NoError(t, err)
			require.Len(t, answers, 1)
			answered = append(answered, fmt.Sprint(answers[0].Metric.Version, answers[0].Totals[0][0].Value))
		}
		return answered
	}
	named := func() string {
		periods := []usage.Span{{Start: now.Add(-24 * time.Hour), End: now}}
		totals, err := h.Quantities(t.Context(), h.Env, sub.ID, two, periods, nil)
		require.NoError(t, err)
		return fmt.Sprint(totals[0][0].Value, totals[0][0].Records)
	}
	require.Equal(t, []string{"1 4", "1 4"}, served())
	require.Equal(t, "2 2", named())
	n, err := h.RollUpUsage(t.Context())
	require.NoError(t, err)
	require.Equal(t, 5003, n)
	require.Equal(t, []string{"2 2", "2 2"}, served())
	require.Equal(t, "2 2", named())
}

// A process merges its own records without reading other metrics; a pass over all metrics finds the records of others.
func TestRollUpRecorded_MergesOwnRecords(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.meters(t)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), h.Clock.Now().Add(-time.Hour)).ID
	record := func(by *Service, metric usage.Aggregation) {
		_, err := by.RecordUsage(t.Context(), h.caller, usage.Record{
			SubscriptionID: sub, Metric: string(metric), Key: string(metric), Quantity: money.Whole(1),
		})
		require.NoError(t, err)
	}
	record(h.Service, usage.Sum)
	record(New(h.Service.Base), usage.Max) // and its process ends
	for _, want := range []int{1, 0} {
		n, err := h.RollUpRecorded(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, n)
	}
	n, err := h.RollUpUsage(t.Context())
	require.NoError(t, err)
	require.Equal(t, 1, n)
}

// countingUsage counts the round trips of a store, and fails or panics on request.
type countingUsage struct {
	db.UsageLog
	trips  int
	failAt int   // the failing trip, from 1; 0: none
	defect error // its error; nil: errAway
	panics bool
}

var errAway = fault.New(fault.Unavailable, "database_unavailable", "The database is away.")

func (c *countingUsage) trip() error {
	if c.trips++; c.panics {
		panic("told to")
	}
	if c.trips == c.failAt {
		return cmp.Or[error](c.defect, errAway)
	}
	return nil
}

func (c *countingUsage) RecordUsage(
	ctx context.Context, by db.Actor, environmentID string, now time.Time, records []db.NewUsage,
) ([]db.UsageTaken, error) {
	if err := c.trip(); err != nil {
		return nil, err
	}
	return c.UsageLog.RecordUsage(ctx, by, environmentID, now, records)
}

func (c *countingUsage) CorrectUsage(
	ctx context.Context, by db.Actor, environmentID string, now time.Time, correction db.NewUsage, decide db.Correction,
) (db.UsageTaken, error) {
	if err := c.trip(); err != nil {
		return db.UsageTaken{}, err
	}
	return c.UsageLog.CorrectUsage(ctx, by, environmentID, now, correction, decide)
}

func (c *countingUsage) UsageKeys(
	ctx context.Context, environmentID string, keys []string,
) (map[string]db.UsageKey, error) {
	if err := c.trip(); err != nil {
		return nil, err
	}
	return c.UsageLog.UsageKeys(ctx, environmentID, keys)
}

// A batch is one round trip, for any repeated keys, and one more for unwritten records. A failure after a part is
// written refuses only the rest.
func TestRecordUsageBatch_RoundTrips(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.meters(t)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), h.Clock.Now().Add(-time.Hour)).ID
	record := func(key string, quantity int64) usage.Record {
		return usage.Record{SubscriptionID: sub, Metric: "sum", Key: key, Quantity: money.Whole(quantity)}
	}
	correct := func(key, of string) usage.Record {
		r := record(key, -1)
		r.Corrects = of
		return r
	}
	counting := &countingUsage{UsageLog: h.usage}
	h.usage = counting
	send := func(records ...usage.Record) (trips int, said []string) {
		counting.trips = 0
		outcomes, err := h.RecordUsageBatch(t.Context(), h.caller, records)
		require.NoError(t, err)
		for i, o := range outcomes {
			switch {
			case o.Refusal != nil:
				said = append(said, fault.From(o.Refusal).Code)
			default:
				said = append(said, fmt.Sprint(o.Repeated))
			}
			require.Equal(t, records[i].Key, o.Record.Key)
		}
		return counting.trips, said
	}
	many := []usage.Record{record("a", -1)}
	want := []string{"usage_quantity_negative"}
	for i := range 400 {
		many, want = append(many, record("a", 1)), append(want, fmt.Sprint(i > 0))
	}
	many, want = append(many, record("a", 2), record("b", 5)), append(want, "usage_key_reused", "false")
	trips, said := send(many...)
	require.Equal(t, want, said)
	require.Equal(t, 2, trips)
	require.Equal(t, 2, h.count(t, "select count(*) from usage_records"))

	corrections := []usage.Record{correct("c", "b"), correct("d", "b"), correct("e", "b")}
	counting.failAt = 3
	_, said = send(corrections...)
	require.Equal(t, []string{"false", "usage_undecided", "usage_undecided"}, said)
	trips, said = send(corrections[:1]...)
	require.Equal(t, []string{"true"}, said)
	require.Equal(t, 1, trips, "a correction that is sent again")
	_, said = send(record("f", 1), correct("g", "b"), record("a", 1))
	require.Equal(t, []string{"false", "usage_undecided", "true"}, said, "the first statement is committed")
	counting.defect = errors.New("unreadable")
	_, said = send(correct("i", "b"), correct("j", "b"), correct("k", "b"))
	require.Equal(t, []string{"false", "internal", "false"}, said, "a defect is not sent again, and is that of one")
	counting.trips, counting.failAt, counting.defect = 0, 1, nil
	_, err := h.RecordUsageBatch(t.Context(), h.caller, []usage.Record{record("h", 1), {}})
	require.ErrorIs(t, err, errAway)

	counting.panics = true
	for range 2 * gatherAtOnce {
		_, err = h.RecordUsage(t.Context(), h.caller, record("z", 1))
		require.ErrorContains(t, err, "told to")
	}
}

// Concurrent creations of versions wait for each other.
func TestUpdateMetric_AtTheSameTime(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	m, err := h.CreateMetric(t.Context(), h.caller, NewMetric{
		Name: "calls", Definition: usage.Definition{Aggregation: usage.Sum},
	}, nil)
	require.NoError(t, err)
	var all errgroup.Group
	for i := range 4 {
		all.Go(func() error {
			_, err := h.UpdateMetric(t.Context(), h.caller, m.ID, MetricUpdate{
				Definition: &usage.Definition{Aggregation: usage.Sum, GroupBy: []string{fmt.Sprint("by", i)}},
			}, nil)
			return err
		})
	}
	require.NoError(t, all.Wait())
	require.Equal(t, 5, h.count(t, "select count(*) from metrics"))
}
