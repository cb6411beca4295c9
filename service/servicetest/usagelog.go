package servicetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/internal/id"
	"perennial/test/scene"
)

// HoldsUsage tests the requirements of every store of usage: see db.UsageLog.
func HoldsUsage(t *testing.T, open func(s *db.Store) db.UsageLog) {
	for name, test := range map[string]func(*testing.T, *usageLog){
		"a record counts once":                 usageCountsOnce,
		"refused records count nothing":        usageRefused,
		"corrections take back":                usageCorrected,
		"a recount finds the aggregates right": usageRebuilt,
		"an erasure keeps quantities":          usageErased,
		"waiting and maintaining end":          usageMaintained,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(t)
			u := &usageLog{UsageLog: open(s.Base.Store), stage: s, now: s.Base.Now().UTC().Truncate(time.Hour)}
			u.metric = usage.Metric{
				ID: id.New(id.Metric, u.now), Version: 1, Name: "calls", DisplayName: "Calls", Active: true, CreatedAt: u.now,
				VersionAt: u.now, Definition: usage.Definition{Aggregation: usage.Sum, GroupBy: []string{"region"}},
			}
			s.Scene.InTx(t, func(tx *db.Tx) error { return tx.Usage.InsertMetric(t.Context(), s.Scene.Env, u.metric) })
			u.customer = s.Scene.Customer(t, "").ID
			customer, err := s.Base.Store.Customers.Get(t.Context(), s.Scene.Env, u.customer)
			require.NoError(t, err)
			u.subscription = s.Scene.SubscribeAt(t, customer, s.Scene.Plan(t, scene.Monthly(1000)), u.now.Add(-48*time.Hour)).ID
			test(t, u)
		})
	}
}

// usageLog is a store of usage with one subscription and one metric.
type usageLog struct {
	db.UsageLog
	stage                  Stage
	now                    time.Time // a full hour
	metric                 usage.Metric
	customer, subscription string
}

// record makes a record of a region at some minutes before now.
func (u *usageLog) record(key string, quantity, minutesAgo int64, region string) db.NewUsage {
	r := usage.Record{
		ID: id.New(id.UsageRecord, u.now), SubscriptionID: u.subscription, Metric: u.metric.Name, Key: key,
		Quantity: money.Whole(quantity), At: u.now.Add(-time.Duration(minutesAgo) * time.Minute),
		Properties: usage.Properties{"region": region},
	}
	return db.NewUsage{Record: r, Fingerprint: r.Fingerprint()}
}

func (u *usageLog) take(t *testing.T, records ...db.NewUsage) (taken []bool) {
	t.Helper()
	results, err := u.RecordUsage(t.Context(), u.stage.Caller.Actor, u.stage.Scene.Env, u.now, records)
	require.NoError(t, err)
	for _, one := range results {
		taken = append(taken, one.Taken)
	}
	return taken
}

func (u *usageLog) version() db.Ref {
	return db.Ref{EnvironmentID: u.stage.Scene.Env, ID: u.metric.VersionID()}
}

// merge merges until nothing is left, three records at a time.
func (u *usageLog) merge(t *testing.T) (total int) {
	t.Helper()
	for {
		n, err := u.RollUp(t.Context(), db.BySystem("test"), u.now, u.version(), 3)
		require.NoError(t, err)
		if total += n; n == 0 {
			return total
		}
	}
}

// used returns the usage of a span by region. It requires that the usage of all regions together is the sum.
func (u *usageLog) used(t *testing.T, from, to time.Time) string {
	t.Helper()
	series := func(by ...string) (of usage.Totals, records int64) {
		t.Helper()
		totals, err := u.UsageSeries(t.Context(), u.stage.Scene.Env, u.subscription, u.metric,
			[]usage.Span{{Start: from, End: to}}, by)
		require.NoError(t, err)
		for _, q := range totals[0] {
			records += q.Records
		}
		return totals[0], records
	}
	regions, records := series("region")
	whole, same := series()
	require.Equal(t, records, same)
	require.Equal(t, regions.Sum(), whole.Sum())
	out := map[string]string{}
	for _, q := range regions {
		out[string(q.Group)] = q.Value.String()
	}
	return fmt.Sprint(out)
}

func usageCountsOnce(t *testing.T, u *usageLog) {
	from, to := u.now.Add(-24*time.Hour), u.now.Add(time.Hour)
	require.Equal(t, []bool{true, true, false, true}, u.take(t,
		u.record("a", 1, 90, "eu"), u.record("b", 2, 70, "us"), u.record("a", 4, 60, "eu"), u.record("c", 8, 1, "eu")))
	require.Equal(t, []bool{false, true}, u.take(t, u.record("b", 2, 70, "us"), u.record("d", 16, 1, "us")))
	want := `map[["eu"]:9 ["us"]:18]`
	require.Equal(t, want, u.used(t, from, to), "before anything is merged")
	n, err := u.RollUp(t.Context(), db.BySystem("test"), u.now, u.version(), 3)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	require.Equal(t, want, u.used(t, from, to), "after a part is merged")
	behind, err := u.Behind(t.Context(), 1000)
	require.NoError(t, err)
	require.Contains(t, behind, u.version())
	require.Equal(t, 1, u.merge(t))
	require.Equal(t, want, u.used(t, from, to), "after all is merged")
	cut := u.used(t, u.now.Add(-75*time.Minute), u.now.Add(-61*time.Minute))
	require.Equal(t, `map[["us"]:2]`, cut, "a part of an hour")
	behind, err = u.Behind(t.Context(), 1000)
	require.NoError(t, err)
	require.NotContains(t, behind, u.version())
	known, err := u.UsageKeys(t.Context(), u.stage.Scene.Env, []string{"a", "none"})
	require.NoError(t, err)
	require.Len(t, known, 1)
	require.Equal(t, u.record("a", 1, 90, "eu").Fingerprint, known["a"].Fingerprint)
	require.True(t, u.now.Add(-90*time.Minute).Equal(known["a"].At))
}

func usageRefused(t *testing.T, u *usageLog) {
	records := []db.NewUsage{u.record("a", 1, 1, "eu"), u.record("b", 1, 72*60, "eu")}
	records[0].Metric = "absent"
	results, err := u.RecordUsage(t.Context(), u.stage.Caller.Actor, u.stage.Scene.Env, u.now, records)
	require.NoError(t, err)
	for i, code := range []string{"metric_not_found", "usage_before_subscription"} {
		require.False(t, results[i].Taken)
		require.Equal(t, code, fault.From(usage.Admit(records[i].Record, results[i].Facts)).Code)
	}
	known, err := u.UsageKeys(t.Context(), u.stage.Scene.Env, []string{"a", "b"})
	require.NoError(t, err)
	require.Empty(t, known, "the key of a refused record is free")
	require.Zero(t, u.merge(t))
}

func usageCorrected(t *testing.T, u *usageLog) {
	from, to := u.now.Add(-24*time.Hour), u.now.Add(time.Hour)
	correct := func(key string, quantity int64) error {
		one := u.record(key, quantity, 0, "")
		one.Corrects, one.At, one.Properties = "a", time.Time{}, nil
		_, err := u.CorrectUsage(t.Context(), u.stage.Caller.Actor, u.stage.Scene.Env, u.now, one, usage.Correct)
		return err
	}
	u.take(t, u.record("a", 10, 90, "eu"))
	require.NoError(t, correct("c1", -3))
	require.Equal(t, `map[["eu"]:7]`, u.used(t, from, to))
	u.merge(t)
	require.NoError(t, correct("c2", -2))
	require.Equal(t, `map[["eu"]:5]`, u.used(t, from, to), "one is merged, the other is not")
	u.merge(t)
	require.Equal(t, `map[["eu"]:5]`, u.used(t, from, to))
	require.Equal(t, "usage_correction_too_large", fault.From(correct("c3", -6)).Code)
}

func usageRebuilt(t *testing.T, u *usageLog) {
	u.take(t, u.record("a", 1, 90, "eu"), u.record("b", 2, 91, "us"), u.record("c", 4, 10, "eu"))
	u.merge(t)
	ids, err := u.Subscriptions(t.Context(), u.version(), "", 10)
	require.NoError(t, err)
	require.Equal(t, []string{u.subscription}, ids)
	found, err := u.Rebuild(t.Context(), db.BySystem("test"), u.now, u.version(), u.subscription, false)
	require.NoError(t, err)
	require.Equal(t, db.RebuiltUsage{Records: 3, Hours: 2}, found)
}

func usageErased(t *testing.T, u *usageLog) {
	hours, cut := u.now.Add(-2*time.Hour), u.now.Add(-95*time.Minute)
	u.take(t, u.record("a", 1, 90, "eu"), u.record("b", 2, 91, "us"), u.record("c", 4, 100, "eu"))
	mark, more := "", true
	for n := 0; more; n++ {
		var err error
		mark, more, err = u.Erase(t.Context(), db.BySystem("test"), u.now, u.stage.Scene.Env, u.customer, mark)
		require.NoError(t, err)
		require.Less(t, n, 10)
	}
	again, more, err := u.Erase(t.Context(), db.BySystem("test"), u.now, u.stage.Scene.Env, u.customer, mark)
	require.NoError(t, err)
	require.False(t, more)
	require.Equal(t, mark, again)
	require.Equal(t, `map[["eu"]:5 ["us"]:2]`, u.used(t, hours, u.now), "whole hours are aggregates")
	require.Equal(t, `map[[null]:3]`, u.used(t, cut, u.now), "records have no properties any more")
}

func usageMaintained(t *testing.T, u *usageLog) {
	require.NoError(t, u.AwaitRecords(t.Context(), u.stage.Scene.Env, func() {}))
	require.NoError(t, u.Maintain(t.Context(), db.BySystem("test"), u.now))
	u.take(t, u.record("a", 1, 1, "eu"))
	require.NoError(t, u.AwaitRecords(t.Context(), u.stage.Scene.Env, func() {}))
}
