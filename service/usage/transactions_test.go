package usage

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/rating"
	"perennial/billing/usage"
	"perennial/db"
	"perennial/test/scene"
)

// A price that depends on each transaction is rated from records, page by page: with more than a page, more than a page
// of one time, corrections of its records, and aggregated and late records.
func TestMeteredSegments_ByTransaction(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	paid, err := h.CreateMetric(t.Context(), h.caller, NewMetric{Name: "paid", Definition: usage.Definition{
		Aggregation: usage.Sum, GroupBy: []string{"kind"}, Conversion: usage.Conversion{DivideBy: money.Whole(100)},
	}}, nil)
	require.NoError(t, err)
	end := h.Clock.Now().Truncate(time.Hour)
	sub := h.SubscribeAt(t, h.Customer(t, ""), h.Scene.Plan(t, scene.Monthly(1000)), end.Add(-60*24*time.Hour)).ID
	percent := rating.Price{Model: rating.Percentage, Percent: money.Whole(1), Transactions: rating.Transactions{
		Fee: money.Units(10, "EUR"), Free: 3,
	}}
	start, cut := end.Add(-40*time.Hour), end.Add(-20*time.Hour)
	prices := &metered.Prices{Components: []metered.Component{{
		ID: "paid", MetricName: "paid", MetricVersionID: paid.ID,
		Rates: []metered.Rate{{Where: map[string]string{"kind": "card"}, Price: percent}},
	}}}
	rate := func() (quantities, amounts []string) {
		t.Helper()
		segments, err := h.usage.MeteredSegments(t.Context(), h.Env, sub, []metered.Span{
			{Start: start, End: cut, Prices: prices}, {Start: cut, End: end, Prices: prices},
		}, 0, db.UsageCounting{})
		require.NoError(t, err)
		owed, err := metered.Owed(segments, "EUR")
		require.NoError(t, err)
		for _, charge := range owed {
			if charge.Lot.Rate == 0 {
				quantities = append(quantities, charge.Quantity.String())
				amounts = append(amounts, strconv.FormatInt(int64(charge.Amount), 10))
			}
		}
		return quantities, amounts
	}
	records := func(id, kind string, n int, first time.Time, each time.Duration) {
		_, err := h.Pool.Exec(t.Context(), `insert into usage_records
			(at, environment_id, subscription_id, metric_id, id, quantity, properties)
			select $1::timestamptz + i * $2::interval, $3, $4, $5, $6 || to_char(i, 'FM00000'), 200, jsonb_build_object('kind', $8::text)
			from generate_series(0, $7 - 1) i`, first, each, h.Env, sub, paid.ID, id, n, kind)
		require.NoError(t, err)
	}
	const late = 10_001
	records("usg_a", "card", 4, start, time.Hour)
	records("usg_b", "cash", 5, start, time.Hour)
	records("usg_c", "card", late, cut.Add(time.Minute), 0) // all at the same time
	records("usg_d", "card", 9_999, cut.Add(time.Hour), time.Second)
	quantities, amounts := rate()
	require.Equal(t, []string{"8", "40000"}, quantities)
	// 2.00 cost 0.02 and a fee of 0.10; three of each part of the period are free.
	require.Equal(t, []string{"12", strconv.Itoa(12 * (20_000 - 3))}, amounts)

	_, err = h.RollUpUsage(t.Context())
	require.NoError(t, err)
	_, again := rate()
	require.Equal(t, amounts, again, "aggregates change nothing")

	_, err = h.Pool.Exec(t.Context(), `insert into usage_records
		(at, environment_id, subscription_id, metric_id, id, quantity, properties, corrects)
		select at, environment_id, subscription_id, metric_id, 'usg_z' || id, case id when 'usg_c00007' then -200 else -100 end,
			properties, id from usage_records where subscription_id = $1 and id in ('usg_c00007', 'usg_d09998')`, sub)
	require.NoError(t, err)
	quantities, amounts = rate()
	require.Equal(t, []string{"8", "39997"}, quantities)
	require.Equal(t, []string{"12", strconv.Itoa(12*(19_999-3) - 1)}, amounts, "one has never come, and one is of half")
}
