package usage

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/test/scene"
)

// The insert statement accepts exactly the records that usage.Admit accepts: records at the bounds of every condition,
// of metrics and subscriptions in every state.
func TestUsage_StatementEqualsAdmit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	now := h.Clock.Now().Truncate(time.Microsecond)
	metrics := []string{"absent"}
	for name, d := range map[string]usage.Definition{
		"plain": {Aggregation: usage.Sum}, "property": {Aggregation: usage.Max, Property: "v"},
		"keyed": {Aggregation: usage.UniqueCount, KeyProperty: "k"}, "level": {Aggregation: usage.WeightedSum, Property: "v"},
		"archived": {Aggregation: usage.Sum},
	} {
		_, err := h.CreateMetric(t.Context(), h.caller, NewMetric{Name: name, Definition: d}, nil)
		require.NoError(t, err)
		metrics = append(metrics, name)
	}
	plan := h.Scene.Plan(t, scene.Monthly(1000))
	started := now.Add(-48 * time.Hour)
	running := h.SubscribeAt(t, h.Customer(t, ""), plan, started).ID
	old := h.SubscribeAt(t, h.Customer(t, ""), plan, now.Add(-100*24*time.Hour)).ID
	ended := h.SubscribeAt(t, h.Customer(t, ""), plan, started).ID
	erased := h.SubscribeAt(t, h.Customer(t, ""), plan, started).ID
	end := now.Add(-time.Hour)
	for _, change := range []struct {
		sql  string
		args []any
	}{
		{"update metrics set active = false where name = 'archived'", nil},
		{`update subscriptions set status = 'canceled', canceled_at = $2, next_action = 'none', next_action_at = null
			where id = $1`, []any{ended, end}},
		{`update customers set email = null, name = null, phone = null, country = null, region = null, tax_ids = null,
			metadata = '{}', payment_method = null, payment_details = null, erased_at = now()
			where id = (select customer_id from subscriptions where id = $1)`, []any{erased}},
	} {
		_, err := h.Pool.Exec(t.Context(), change.sql, change.args...)
		require.NoError(t, err)
	}
	times := []time.Time{{}, now}
	for _, bound := range []time.Time{started, end, now.Add(usage.MaxAhead), now.Add(-usage.MaxAge)} {
		times = append(times, bound.Add(-time.Microsecond), bound, bound.Add(time.Microsecond))
	}
	values := []string{
		"", "1.5", "-2", "-0", "0", "x", "+1", "1e3", ".5", "5.", "007", "1234567890123", "0.1234567890123", " 1", "1\n",
	}
	r := rand.New(rand.NewPCG(testkit.Seed(t), 8))
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	records := make([]db.NewUsage, 2000)
	for i := range records {
		record := usage.Record{
			ID: id.New(id.UsageRecord, now), SubscriptionID: pick([]string{running, old, ended, erased, "sub_absent"}),
			Metric: pick(metrics), Key: fmt.Sprint(i), Quantity: money.Whole(r.Int64N(4) - 2), At: times[r.IntN(len(times))],
			Corrects: pick([]string{"", "", "usg_1"}), Properties: usage.Properties{},
		}
		if r.IntN(4) > 0 {
			record.Properties["v"] = pick(values)
		}
		if r.IntN(4) > 0 {
			record.Properties["k"] = pick([]string{"", "ada"})
		}
		records[i] = db.NewUsage{Record: record, Fingerprint: record.Fingerprint()}
	}
	taken, err := h.usage.RecordUsage(t.Context(), h.caller.Actor, h.Env, now, records)
	require.NoError(t, err)
	// Accepted records have no facts. The second time none is accepted, since all their keys were used.
	judged, err := h.usage.RecordUsage(t.Context(), h.caller.Actor, h.Env, now, records)
	require.NoError(t, err)
	accepted := 0
	for i, one := range judged {
		record := records[i].Record
		record.At = one.At
		refusal := usage.Admit(record, one.Facts)
		require.False(t, one.Taken)
		require.Equal(t, taken[i].Taken, refusal == nil, "%+v with %+v: %v", record, one.Facts, refusal)
		require.Equal(t, one.At, taken[i].At)
		if taken[i].Taken {
			accepted++
		}
	}
	require.Greater(t, accepted, 100)
	require.Less(t, accepted, 1000)
}
