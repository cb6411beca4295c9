package scene

import (
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/require"

	"perennial/internal/testkit/rule"
)

// laws are queries that must find nothing in a sound environment, whatever happened in it.
var laws = []struct{ name, sql string }{
	{"a paid invoice has its settlement, and only a paid one", `
		select i.id from invoices i left join settlements s using (environment_id) where s.invoice_id = i.id and i.status <> 'paid'
		union all
		select i.id from invoices i where i.status = 'paid' and not i.taken_back and not exists (select from settlements s where s.invoice_id = i.id)`},
	{"the credit notes of a decision come to the lines that it took back", `
		select i.id from invoices i
		where i.taken_back and -i.total <> (
			select coalesce(sum(n.total), 0) from credit_notes n where n.environment_id = i.environment_id and n.taken_back_by = i.id)`},
	{"a settlement by money points at a success of its amount", `
		select s.invoice_id from settlements s join transactions t on t.id = s.transaction_id
		where t.status <> 'success' or t.amount <> s.amount or t.invoice_id <> s.invoice_id`},
	{"a success that does not count was given back", `
		select t.id from transactions t
		where t.type = 'charge' and t.status = 'success' and t.invoice_id is not null and t.amount_refunded + t.refund_owed = 0
		  and not exists (select from settlements s where s.transaction_id = t.id)`},
	{"a subscription waits for every date that it carries", "select subscription_id from overlooked_dates"},
	{"no more than 1 + 3 automatic attempts", `
		select invoice_id from transactions where type = 'charge' and trigger = 'automatic' and recovered_from is null and invoice_id is not null
		group by invoice_id having count(*) > 4`},
	{"attempts are counted from 1 without a gap", `
		select invoice_id from transactions where type = 'charge' and invoice_id is not null and recovered_from is null and provider is distinct from 'external'
		group by invoice_id having max(attempt_number) <> count(*) or min(attempt_number) <> 1`},
	// Except for the one attempt of a draft that another build left at a cancellation, and that was issued after it.
	{"nothing automatic after the cancellation", `
		select t.id from transactions t
		join subscriptions s on s.id = t.subscription_id
		left join invoices i on i.environment_id = t.environment_id and i.id = t.invoice_id and i.issued_at > s.canceled_at
		where t.type = 'charge' and t.trigger = 'automatic' and t.recovered_from is null and t.created_at > s.canceled_at
		  and coalesce(t.created_at not between i.finalizes_at and i.finalizes_at + interval '1 day', true)`},
	{"invoice numbers have no gap", `
		select environment_id from invoices group by environment_id having max(number) <> count(number) or min(number) <> 1`},
	{"events of a subscription are numbered without a gap", `
		select subscription_id from events where subscription_id is not null
		group by subscription_id having max(sequence) <> count(*) or min(sequence) <> 1`},
	{"events of a customer are numbered without a gap", `
		select customer_id from events where customer_id is not null
		group by customer_id having max(customer_sequence) <> count(*) or count(customer_sequence) <> count(*)`},
	{"credit is the sum of its entries", `
		select b.customer_id from credit_balances b
		where (b.balance, b.granted) <> (
			select coalesce(sum(e.amount) filter (where e.grant_id is null), 0), coalesce(sum(e.amount) filter (where e.grant_id is not null), 0)
			from credit_entries e where e.customer_id = b.customer_id and e.currency = b.currency)`},
	{"what is left of a grant is the sum of its entries, and what all have left is what was granted", `
		select g.id from credit_grants g
		where g.remaining <> (select sum(e.amount) from credit_entries e where e.environment_id = g.environment_id and e.grant_id = g.id)
		union all
		select b.customer_id from credit_balances b
		where b.granted <> (select coalesce(sum(g.remaining), 0) from credit_grants g
		                    where g.environment_id = b.environment_id and g.customer_id = b.customer_id and g.currency = b.currency)`},
	{"an invoice knows what it has used of grants", `
		select i.id from invoices i
		where coalesce((select sum((u ->> 'amount')::bigint) from jsonb_array_elements(i.grants_used) u), 0) <> (
			select coalesce(-sum(e.amount), 0) from credit_entries e
			where e.environment_id = i.environment_id and e.invoice_id = i.id and e.grant_id is not null and e.reason = 'applied')`},
	{"every invoice was announced once, and its end too", `
		select i.id from invoices i
		where not i.taken_back and ((select count(*) from events e where e.object_id = i.id and e.type = 'invoice.created') <> 1
		   or (select count(*) from events e where e.object_id = i.id and e.type = 'invoice.finalized') <> (i.status <> 'draft')::int
		   or (select count(*) from events e where e.object_id = i.id and e.type = 'invoice.paid') <> (i.status = 'paid')::int
		   or (select count(*) from events e where e.object_id = i.id and e.type = 'invoice.voided') <> (i.status = 'void')::int)`},
	{"every end of a payment was announced once", `
		select t.id from transactions t
		where (select count(*) from events e where e.object_id = t.id and e.type = 'payment.success') <> (t.status = 'success')::int
		   or (select count(*) from events e where e.object_id = t.id and e.type = 'payment.canceled') <> (t.status = 'canceled')::int
		   or (select count(*) from events e where e.object_id = t.id and e.type = 'payment.refunded') <> (t.status = 'refunded')::int
		   or t.type = 'charge' and t.status in ('failed', 'declined')
		      and (select count(*) from events e where e.object_id = t.id and e.type = 'payment.failed') <> 1`},
	{"the end of a trial was announced once, unless it was canceled before, or moved", `
		select s.id from subscriptions s where s.trial_ends_at is not null and s.trial_notice_at is null
		   and (select count(*) from events e where e.object_id = s.id and e.type = 'subscription.trial_will_end')
		       <> 1 and s.canceled_at is null
		   and not exists (select from events e where e.object_id = s.id and e.type = 'subscription.updated'
		       and e.data->'changed' ? 'trialEndsAt')`},
	{"every cancellation was announced once", `
		select s.id from subscriptions s
		where (select count(*) from events e where e.object_id = s.id and e.type = 'subscription.canceled') <> (s.status = 'canceled')::int`},
	{"past due is announced", `
		select s.id from subscriptions s
		where s.status = 'past_due' and (select e.type from events e where e.object_id = s.id
		      and e.type in ('subscription.past_due', 'subscription.activated') order by e.sequence desc limit 1) <> 'subscription.past_due'`},
	{"a finished subscription has nothing pending, and a canceled one without is finished", `
		select s.id from subscriptions s where s.status = 'canceled' and (s.finished_at is not null) =
		       exists (select from transactions t where t.subscription_id = s.id and t.status = 'pending' and t.type = 'charge')`},
	{"periods tile: each opened one begins where the one before it ended, unless the interval changed", `
		select id from (
			select e.id, e.data ->> 'currentPeriodStart' as starts, lag(e.data ->> 'currentPeriodEnd') over w as ended,
			       e.data ->> 'planId' as plan, lag(e.data ->> 'planId') over w as plan_before
			from events e where e.type = 'subscription.renewed' window w as (partition by e.object_id order by e.sequence)
		) p where starts <> ended and plan = plan_before`},
	{"what banks hold because of disputes is booked, once", `
		select t.id from transactions t, jsonb_to_recordset(t.disputes) as d(ref text, withdrawn bigint, currency text, "withdrawalId" text)
		where d.currency = t.currency and d.withdrawn <> (
			select coalesce(sum(r.amount), 0) from transactions r
			where r.charge_id = t.id and r.id = d."withdrawalId" and r.status = 'refunded' and r.returned_at is null)`},
	{"an open dispute is marked", `
		select t.id from transactions t
		where (t.disputed_at is not null) <>
		      coalesce(t.disputes @> '[{"state": "open"}]' or t.disputes @> '[{"state": "under_review"}]', false)`},
	{"a dispute has one row, which says what its charge knows", `
		select coalesce(d.id, r.id)
		from (select t.environment_id, t.id as transaction_id, k.*
		      from transactions t, jsonb_to_recordset(t.disputes) as k(id text, ref text, state text, withdrawn bigint)) d
		full join disputes r on r.environment_id = d.environment_id and r.id = d.id
		where (r.transaction_id, r.ref, r.status, r.amount_withdrawn) is distinct from (d.transaction_id, d.ref, d.state, d.withdrawn)`},
	{"a dispute is announced once when it opens, and when it ends", `
		select d.id from disputes d
		where 1 <> (select count(*) from events e where e.object_id = d.id and e.type = 'dispute.created')
		   or (d.closed_at is not null) <> exists (
		       select from events e where e.object_id = d.id and e.type = 'dispute.closed' and e.data ->> 'status' = d.status)`},
	{"a charge shows what went back of it", `
		select t.id from transactions t
		where t.type = 'charge' and t.parked_at is null and t.reviewed_at is null and t.amount_refunded < (
			select coalesce(sum(r.amount), 0) from transactions r
			where r.charge_id = t.id and r.status in ('pending', 'refunded') and r.returned_at is null
			  and coalesce(not t.disputes @> jsonb_build_array(jsonb_build_object('withdrawalId', r.id)), true))`},
	{"an invoice comes to its lines, less their discounts, and the taxes that are added to them", `
		select i.id from invoices i
		where i.total <> i.tax - i.discount + (select sum(l.amount) from invoice_lines l where l.environment_id = i.environment_id and l.invoice_id = i.id)
		   or i.tax <> (select coalesce(sum((t ->> 'amount')::bigint) filter (where t -> 'inclusive' is null), 0)
		                from jsonb_array_elements(coalesce(i.taxes, '[]')) t)`},
	{"no period is billed twice", `
		select subscription_id from invoices where status <> 'void' and not taken_back and reason not in ('subscription_update', 'subscription_usage', 'manual')
		group by subscription_id, period_start, period_end having count(*) > 1`}, // the last month of a year ends with it
}

// RequireSound checks the invariants of every environment, and that the provider took no money twice.
func (s *Scene) RequireSound(t testing.TB) {
	t.Helper()
	defer rule.Mark(t)()
	RequireLawful(t, s.Pool)
	for txn, n := range s.Provider.Captures() {
		require.LessOrEqual(t, n, 1, "money was taken more than once for %s", txn)
	}
}

// takenTwice lists the transactions whose money was taken more than once, at one provider or at several.
func (s *Scene) takenTwice() string {
	times := map[string]int{}
	for _, p := range s.providers {
		for txn, n := range p.Captures() {
			times[txn] += n
		}
	}
	for txn, n := range times {
		if n > 1 {
			return "money was taken more than once for " + txn
		}
	}
	return ""
}

// RequireLawful checks the part of it that the rows of any database tell.
func RequireLawful(t testing.TB, pool *pgxpool.Pool) {
	t.Helper()
	defer rule.Mark(t)()
	for _, law := range laws {
		var broken []string
		rows, err := pool.Query(t.Context(), law.sql)
		require.NoError(t, err, law.name)
		for rows.Next() {
			var id string
			require.NoError(t, rows.Scan(&id))
			broken = append(broken, id)
		}
		require.NoError(t, rows.Err(), law.name)
		require.Empty(t, broken, law.name)
	}
}

// stable are the tables, without the columns that a repeat of an activity may change: a row that was checked again has
// a new revision. Repeated provider calls are events in the world, not in the books.
var stable = []struct{ table, without string }{
	{"customers", ""}, {"plans", ""}, {"subscriptions", "- 'revision' - 'updated_at'"}, {"invoices", ""},
	{"invoice_lines", ""},
	{"transactions", ""}, {"settlements", ""}, {"credit_balances", ""}, {"credit_entries", ""},
	{"credit_grants", ""}, {"events", ""},
	{"provider_calls", ""}, {"provider_callbacks", ""}, {"decisions", ""}, {"idempotency_keys", ""},
	{"test_clocks", "- 'revision'"},
	{"invoice_counters", ""},
}

// Rows is everything in the database, by table, as JSON.
func (s *Scene) Rows(t testing.TB) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, of := range stable {
		rows, err := s.Pool.Query(t.Context(), "select (to_jsonb(r) "+of.without+")::text from "+of.table+" r order by 1")
		require.NoError(t, err, of.table)
		for rows.Next() {
			var row string
			require.NoError(t, rows.Scan(&row))
			out[of.table] = append(out[of.table], row)
		}
		require.NoError(t, rows.Err())
	}
	return out
}
