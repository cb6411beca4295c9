package check

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/rule"
	"perennial/test/e2e/world"
	"perennial/test/scene"
)

// AtRest waits until nothing is under way any more; it fails when that takes too long.
func AtRest(t testing.TB, w *world.World, within time.Duration) {
	t.Helper()
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	last, since := "", time.Now()
	for {
		busy, state := underWay(ctx, w)
		if state != last {
			last, since = state, time.Now()
		}
		if busy == "" && time.Since(since) > time.Second {
			t.Logf("at rest after %s", time.Since(began).Round(100*time.Millisecond))
			return
		}
		select {
		case <-ctx.Done():
			require.FailNow(t, "the installation does not come to rest", "after %s: %s", within, busy)
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// underWay names the unfinished work; state changes whenever anything happens.
func underWay(ctx context.Context, w *world.World) (busy, state string) {
	const query = `
		select coalesce(string_agg(what || ' ' || id, ', '), ''), (select count(*)::text from events) from (
			select 'payment ' || status as what, id from transactions where status = 'pending' and parked_at is null
			union all
			select 'clock', id from test_clocks where status <> 'ready'
			union all
			select 'callback', id from provider_callbacks where processed_at is null and transaction_id is not null
			union all
			select 'no workflow for', id from subscriptions where finished_at is null and coalesce(started_epoch, 0) = 0
			union all
			select 'new method', id from subscriptions where method_changed_at is not null and status <> 'canceled'
			union all
			select 'usage of', subscription_id from usage_touched
			union all
			select s.next_action, s.id from subscriptions s left join test_clocks c on c.id = s.test_clock_id
			where s.next_action <> 'none' and s.next_action_at <= coalesce(c.now_at, now())
		) busy`
	if err := w.Pool.QueryRow(ctx, query).Scan(&busy, &state); err != nil {
		return err.Error(), ""
	}
	return busy, state
}

// Sound checks everything that must hold at rest, with every invoice paid.
func Sound(t testing.TB, w *world.World) {
	t.Helper()
	defer rule.Mark(t)()
	scene.RequireLawful(t, w.Pool)
	lawful(t, w)
	money(t, w)
	for _, env := range w.Environments {
		readable(t, env)
		polite(t, env)
	}
	apart(t, w)
	discreet(t, w)
	for _, p := range w.Programs() {
		if p.Starts() == 0 {
			continue
		}
		log := p.Log(t)
		for _, sign := range []string{"WARNING: DATA RACE", "panic:", "fatal error:", "goroutine stack exceeds"} {
			require.NotContains(t, log, sign)
		}
	}
}

// laws are the invariants of the rows, in addition to those in scene.
var laws = []struct{ name, sql string }{
	{"every invoice is settled or void", `select id from invoices where status = 'open'`},
	{"no payment hangs", `select id from transactions where status = 'pending'`},
	{"no exchange with a provider is left open by a process that lives", `
		select c.id from provider_calls c join transactions t on t.id = c.transaction_id
		where c.outcome is null and not exists (
			select from provider_calls later where later.transaction_id = c.transaction_id and later.outcome is not null)
		  and t.provider_ref is not null`},
	{"every creation is announced once", `
		select o.id from (
			select id, 'customer.created' as type from customers union all select id, 'plan.created' from plans
			union all select id, 'subscription.created' from subscriptions
		) o where (select count(*) from events e where e.object_id = o.id and e.type = o.type) <> 1`},
	{"no event is about what does not exist", `
		select e.id from events e where not exists (
			select from customers where id = e.object_id union all select from plans where id = e.object_id
			union all select from subscriptions where id = e.object_id union all select from invoices where id = e.object_id
			union all select from transactions where id = e.object_id union all select from test_clocks where id = e.object_id
			union all select from provider_configs where id = e.object_id union all select from environments where id = e.object_id
			union all select from disputes where id = e.object_id union all select from credit_notes where id = e.object_id union all select from credit_grants where id = e.object_id
			union all select from metrics where id = e.object_id
			-- a draft of usage that comes to nothing
			union all select from events d where d.object_id = e.object_id and d.type = 'invoice.deleted')`},
	{"a period is opened once", `
		select object_id from events where type = 'subscription.renewed'
		group by object_id, data ->> 'currentPeriodStart' having count(*) > 1`},
	{"activation is announced when it is recorded", `
		select s.id from subscriptions s where (s.activated_at is null) =
		       exists (select from events e where e.object_id = s.id and e.type = 'subscription.activated')`},
}

func lawful(t testing.TB, w *world.World) {
	t.Helper()
	for _, law := range laws {
		require.Empty(t, column(t, w, law.sql), law.name)
	}
}

// column is the first column of a query's rows.
func column(t testing.TB, w *world.World, sql string) []string {
	t.Helper()
	rows, err := w.Pool.Query(t.Context(), sql)
	require.NoError(t, err, strings.TrimSpace(sql))
	defer rows.Close()
	var out []string
	for rows.Next() {
		var id string
		require.NoError(t, rows.Scan(&id))
		out = append(out, id)
	}
	require.NoError(t, rows.Err(), strings.TrimSpace(sql))
	return out
}
