package db_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/id"
	"perennial/internal/testkit"
	"perennial/test/testdb"
)

// crowd is a database in which everything that can make a query read too much is there at once: half of the rows belong
// to one environment, a tenth of those to one customer and one subscription, rare states lie at the old end of every
// list, Temporal was lost, so that all is unstarted, and all is late.
type crowd struct {
	store *db.Store
	trace *lastQuery
	pool  *pgxpool.Pool
	rows  int
}

const crowdEnv = "env_00000000000000000000000000"

// crowdID is the id of the i-th row of a table.
func crowdID(prefix string, i int) string {
	if prefix == id.Event {
		return id.Earliest(prefix, crowdTime(i))
	}
	return fmt.Sprintf("%s%026d", prefix, i)
}

// crowdTime returns the recording time of the i-th event: a bit more than a second after the one before. crowdEventID
// makes its id.
func crowdTime(i int) time.Time { return time.UnixMilli(50<<35 + int64(i)<<10).UTC() }

const (
	digits       = "substr('0123456789abcdefghjkmnpqrstvwxyz', (i >> %d & 31) + 1, 1)"
	crowdEventID = "'evt_01j' || " + digits + " || " + digits + " || " + digits + " || " + digits + " || " + digits +
		" || repeat('0', 18)"
)

// envOf is the environment of the i-th row: the first, or one of 19 others.
const envOf = "'env_' || lpad((case when i % 2 = 0 then 0 else 1 + i % 19 end)::text, 26, '0')"

// owners are the customer and the subscription of the i-th row: every tenth row of the first environment belongs to the
// first of all.
var owners = strings.NewReplacer(
	"{customer}", "'cust_' || lpad((case when i % 20 = 0 then 0 else i end)::text, 26, '0')",
	"{subscription}", "'sub_' || lpad((case when i % 20 = 0 then 0 else i end)::text, 26, '0')",
)

// crowding fills the tables; i counts the rows of one.
var crowding = []struct{ into, columns, values string }{
	{"customers", `
			email, metadata, test_clock_id, created_at`, `
			case when i < 100 then 'rare@example.com' else i || '@example.com' end, '{}', case when i % 50 = 0 then
			'clk_' || lpad('0', 26, '0') end, now()`},
	{"plans", `
			name, currency, interval_unit, interval_count, trial_days, active, metadata, created_at`, `
			'p', 'EUR', 'month', 1, 0, i > 100, '{}', now()`},
	{"test_clocks", `
			name, status, now_at, target_at, blocked_by, created_at`, `
			'c', 'advancing', now(), now(), '{}', now()`},
	{"subscriptions", `
			customer_id, plan_id, status, currency, time_zone, anchor_at, interval_unit, interval_count,
			current_period_start, current_period_end, next_period, canceled_at, past_due_at, cancel_at_period_end,
			test_clock_id, metadata, wake_pending_since, next_action, next_action_at, created_at, updated_at`, `
			{customer}, 'plan_' || lpad((case when i < 100 then 1 else 0 end)::text, 26, '0'), case when i < 100 then
			'past_due' else 'active' end, 'EUR', 'UTC', now(), 'month', 1, now(), now() + interval '1 month', 1, null,
			case when i < 100 then now() end, false, case when i % 50 = 0 then 'clk_' || lpad('0', 26, '0') end, '{}',
			case when i % 3 = 1 then now() - interval '1 hour' end, 'renewal', now() - i * interval '1 second', now(),
			now()`},
	{"invoices", `
			number, customer_id, subscription_id, status, reason, currency, total, credit_applied, amount_due,
			amount_paid, period_start, period_end, phase, automatic_attempts, attempts, issued_at, paid_at, created_at`, `
			i + 1, {customer}, {subscription}, case when i < 100 then 'open' else 'paid' end, 'subscription_cycle',
			'EUR', 100, 0, 100, case when i < 100 then 0 else 100 end, now() + i * interval '1 day', now() + (i + 1) *
			interval '1 day', case when i < 100 then 'charging' else 'settled' end, 1, 1, now(), case when i >= 100 then
			now() end, now()`},
	{"transactions", `
			type, status, customer_id, subscription_id, invoice_id, amount, currency, description, trigger,
			provider_config_id, charge_id, amount_refunded, send_number, next_check_at, checks, not_found_count, due_at,
			completed_at, created_at, held_at, held_revision, held_by_stop, first_sent_at,
			created_virtually, unanswered_since, unanswered_at`, `
			case when i < 100 then 'refund' else 'charge' end, case when i < 50 then 'failed' when i < 100 then
			'refunded' when i % 3 = 0 then 'pending' else 'success' end, {customer}, case when i % 5 <> 1 then
			{subscription} end, case when i % 5 <> 1 then 'in_' || lpad((case when i % 20 = 0 and i % 3 <> 0 then 0 else
			i end)::text, 26, '0') end, 100, 'EUR', '', 'automatic', 'pp_' || lpad((i % 40)::text, 26, '0'), case when i
			< 100 then 'txn_' || lpad('100', 26, '0') end, 0, 1, case when i % 3 = 0 and i >= 100 then now() - i *
			interval '1 second' end, 0, 0, now(), case when i < 100 or i % 3 <> 0 then now() end, to_timestamp(1700000000 + 60 *
			case when i < 100 then $1::int / 3 + i else i end), case when i % 3 = 0 then now() end, case when i % 3 = 0
			then 0 end, i % 3 = 0, now() - i * interval '1 second', i < 100, case when i % 90 = 0 then now() - i * interval '1
			second' end, case when i % 90 = 0 then now() - interval '1 hour' end`},
	{"disputes", `
			transaction_id, customer_id, ref, status, amount, currency, amount_withdrawn, opened_at, closed_at`, `
			'txn_' || lpad(i::text, 26, '0'), {customer}, i::text, case when i < 100 then 'open' else 'won' end, 100, 'EUR', 0,
			now(), case when i >= 100 then now() end`},
	{"events", `
			type, object_id, customer_id, subscription_id, sequence, customer_sequence, data, occurred_at, created_at`, `
			case when i < 100 then 'subscription.past_due' else 'payment.success' end, {subscription}, {customer},
			{subscription}, i, i, '{}', i, to_timestamp(((50::bigint << 35) + (i::bigint << 10)) / 1000.0)`},
	{"webhook_deliveries", `
			endpoint_id, event_id, event_type, object_id, payload_shape, status, attempts, next_attempt_at, failed_reason,
			failed_at, succeeded_at, created_at`, `
			'whe_' || lpad((case when i % 20 = 0 then 0 else i end)::text, 26, '0'), 'evt_' || lpad(i::text, 26, '0'),
			'payment.success', 'txn_' || lpad(i::text, 26, '0'), 'A', case when i < 50 then 'failed' when i < 100 then 'pending'
			else 'succeeded' end, 1, case when i between 50 and 99 then now() end, case when i < 50 then 'attempts_used' end,
			case when i < 50 then now() end, case when i >= 100 then now() end, to_timestamp(1700000000 + i * 60)`},
	{"provider_callbacks", `
			provider_config_id, provider_event_id, type, transaction_id, provider_ref, received_at`, `
			'pp_' || lpad((i % 40)::text, 26, '0'), i::text, 't', case when i % 2 = 0 then 'txn_' || lpad(i::text, 26,
			'0') end, '', now() - i * interval '1 second'`},
	{"idempotency_keys", `
			route, key, fingerprint, status_code, created_at`, `
			'POST /', i::text, '', 200, now() - interval '1 year'`},
}

var crowdPrefix = map[string]string{
	"customers": "cust_", "plans": "plan_", "test_clocks": "clk_", "subscriptions": "sub_", "invoices": "in_",
	"transactions": "txn_", "disputes": "dsp_", "events": "evt_", "webhook_deliveries": "whd_",
	"provider_callbacks": "cb_",
}

// of returns the number of rows of a table: of plans and clocks a tenth.
func (c *crowd) of(table string) int {
	if table == "plans" || table == "test_clocks" {
		return c.rows / 10
	}
	return c.rows
}

func newCrowd(t *testing.T) *crowd {
	t.Helper()
	database := testdb.Migrated(t)
	c := &crowd{trace: &lastQuery{}, pool: database.Pool(t), rows: testkit.Scale(20_000, 2_000_000)}
	conn, err := c.pool.Acquire(t.Context())
	require.NoError(t, err)
	defer conn.Release()
	run := func(sql string, args ...any) {
		began := time.Now()
		_, err := conn.Exec(t.Context(), sql, args...)
		require.NoError(t, err, sql)
		if took := time.Since(began); took > time.Second {
			t.Logf("%s in %.0f s", sql[:min(len(sql), 40)], took.Seconds())
		}
	}
	run("set session_replication_role = replica") // no triggers and no foreign keys while rows come in by the million
	run("insert into tenants values ('ten_1', 't', now()), ('ten_2', 't', now())")
	run(`insert into apps (id, tenant_id, name, keyset, created_at, position)
		select 'app_' || lpad(i::text, 26, '0'), 'ten_1', 'a', '', now(), i from generate_series(0, 19) i`)
	run(`insert into environments
		select 'env_' || lpad(i::text, 26, '0'), 'app_' || lpad(i::text, 26, '0'), 'test', 'UTC', 86400, 2, 3, 0, 'skip', null, now()
		from generate_series(0, 19) i`)
	run(`insert into provider_configs
		select 'pp_' || lpad(i::text, 26, '0'), 'env_' || lpad((i % 20)::text, 26, '0'), 'stripe', i < 20, '', '', now()
		from generate_series(0, 39) i`)
	for _, f := range crowding {
		columns, values := f.columns, owners.Replace(f.values)
		if prefix, ok := crowdPrefix[f.into]; ok {
			rowID := "'" + prefix + "' || lpad(i::text, 26, '0')"
			if prefix == id.Event {
				rowID = fmt.Sprintf(crowdEventID, 20, 15, 10, 5, 0)
			}
			columns, values = "id, "+columns, rowID+", "+values
		}
		switch f.into {
		case "provider_callbacks", "idempotency_keys":
		default:
			columns, values = "position, "+columns, "i + 1, "+values
		}
		run(fmt.Sprintf("insert into %s (environment_id, %s) select %s, %s from generate_series(0, $1::int - 1) i",
			f.into, columns, envOf, values), c.of(f.into))
	}
	run(`insert into provider_breakers (environment_id, provider_config_id, failures, silent_since, recovered_at)
		select environment_id, id, 0, now() - interval '2 hours', case when is_primary then now() end from provider_configs`)
	run("update environments set accounts_revision = 1") // transactions held at revision 0 may be sent
	run("select setval('list_position', $1)", c.rows)
	run("set session_replication_role = origin")
	run("vacuum analyze")
	c.store, err = db.Open(context.WithoutCancel(t.Context()), db.Config{
		URL: database.URL, MaxConns: 2, Clock: func() time.Time { return wall }, Tracer: c.trace,
	})
	require.NoError(t, err)
	t.Cleanup(c.store.Close)
	return c
}
