package e2e

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/world"
)

// requireBilledOnce compares the accepted usage with the lines of usage, in units and in money.
func (a *reporters) requireBilledOnce(ctx context.Context, t *testing.T, env *world.Environment, w *world.World) {
	t.Helper()
	records, refused := 0, map[string]int{}
	for _, m := range a.all {
		var units, cents int64
		for _, one := range m.accepted {
			units += one.quantity
			price := int64(otherCents)
			if one.region == euRegion {
				price = euCents
			}
			cents += one.quantity * price
		}
		records += len(m.accepted)
		for code, n := range m.refused {
			refused[code] += n
		}
		var stored int
		require.NoError(t, w.Pool.QueryRow(ctx, "select count(*) from usage_records where subscription_id = $1", m.sub).Scan(&stored))
		require.Equal(t, len(m.accepted), stored, "records of %s", m.sub)
		billedUnits, billedCents := usageLines(ctx, t, env, m.sub)
		require.Equal(t, [2]int64{units, cents}, [2]int64{billedUnits, billedCents},
			"units and cents of %s, on a clock: %t, %s", m.sub, m.fate == travels, told(ctx, t, w, m.sub))
	}
	require.NotZero(t, records)
	t.Logf("%d subscriptions, %d records accepted, %v refused, %d invoices with usage", len(a.all), records, refused,
		count(t, w, "select count(distinct invoice_id) from invoice_lines where kind = 'usage'"))
}

// requireCrossedOnce checks that no threshold is announced or billed twice in a period, and that the invoices that
// thresholds requested are those that were issued. Their lines are among those of requireBilledOnce.
func requireCrossedOnce(ctx context.Context, t *testing.T, w *world.World) {
	t.Helper()
	var announced, twice, billing, without int
	require.NoError(t, w.Pool.QueryRow(ctx, `select count(*), count(*) - count(distinct (subscription_id, data->>'periodIndex',
			data->>'amount', data->>'quantity'))
		from events where type = 'usage.threshold_reached'`).Scan(&announced, &twice))
	require.NotZero(t, announced)
	require.Zero(t, twice, "thresholds that were announced twice in a period")
	require.Equal(t, announced, count(t, w, "select count(*) from usage_crossings"))
	require.NoError(t, w.Pool.QueryRow(ctx, `select count(*), count(*) filter (where not exists (select from invoices i
			where i.environment_id = c.environment_id and i.id = c.invoice_id and i.status <> 'draft'))
		from usage_crossings c where invoice_id is not null`).Scan(&billing, &without))
	require.NotZero(t, billing)
	require.Zero(t, without, "thresholds whose invoice was not issued")
	t.Logf("%d thresholds were announced, %d of them billed at once", announced, billing)
}

// told returns the times of a subscription's records and segments, for a test that fails.
func told(ctx context.Context, t *testing.T, w *world.World, sub string) (text string) {
	t.Helper()
	require.NoError(t, w.Pool.QueryRow(ctx, `select concat('canceled ', s.canceled_at, ', since ', s.metered_since, ', late until ',
		s.late_usage_until, ', segments ', (select json_agg(g) from usage_segments g where g.subscription_id = s.id),
		', records ', (select json_agg(r) from usage_records r where r.subscription_id = s.id))
		from subscriptions s where s.id = $1`, sub).Scan(&text))
	return text
}

// usageLines sums the lines of usage on the invoices of a subscription.
func usageLines(ctx context.Context, t *testing.T, env *world.Environment, sub string) (units, cents int64) {
	t.Helper()
	invoices, err := env.All(ctx, "/api/invoices?subscriptionId="+sub)
	require.NoError(t, err)
	for _, inv := range invoices {
		require.NotEqual(t, "draft", inv["status"], "%v", inv["id"])
		if inv["status"] == "void" {
			continue
		}
		for _, entry := range inv["lines"].([]any) { //nolint:forcetypeassert // of the API
			line := entry.(map[string]any) //nolint:forcetypeassert // of the API
			if line["kind"] != "usage" {
				continue
			}
			quantity, err := strconv.ParseInt(line["quantity"].(string), 10, 64) //nolint:forcetypeassert // of the API
			require.NoError(t, err)
			units += quantity
			cents += int64(line["amount"].(float64)) //nolint:forcetypeassert // of the API
		}
	}
	return units, cents
}
