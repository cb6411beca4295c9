-- name: UsageSegmentInsert :exec
-- A decision that is repeated after a restore closes the same segments, so a conflict is no error.
insert into usage_segments (environment_id, subscription_id, started_at, ended_at, period_index, plan_id, share_from, share_to,
    share_length, share_measure, period_seconds, discounts, quantity, add_ons)
values (@environment_id, @subscription_id, @started_at, @ended_at, @period_index, @plan_id, @share_from, @share_to,
    @share_length, @share_measure, @period_seconds, @discounts, @quantity, @add_ons)
on conflict do nothing;

-- name: UsageSegmentList :many
-- All segments that ended by a time, in the order of time.
select sqlc.embed(s)
from usage_segments s
where s.environment_id = @environment_id and s.subscription_id = @subscription_id and s.ended_at <= @ended_by
order by s.started_at;

-- name: UsageChargeInsert :exec
insert into usage_charges (environment_id, subscription_id, invoice_id, segment_start, price_id, rate, dimension, quantity, amount)
select @environment_id, @subscription_id, @invoice_id, unnest(@segment_starts::timestamptz[]), unnest(@price_ids::text[]),
    unnest(@rates::integer[]), unnest(@dimensions::text[]), unnest(@quantities::text[])::numeric, unnest(@amounts::bigint[]);

-- name: UsageChargeSums :many
-- The charges of all invoices for the segments that began at or after a time.
select c.segment_start, c.price_id, c.rate, c.dimension, sum(c.quantity)::text as quantity, sum(c.amount)::bigint as amount
from usage_charges c
where c.environment_id = @environment_id and c.subscription_id = @subscription_id and c.segment_start >= @from_start
group by c.segment_start, c.price_id, c.rate, c.dimension
order by c.segment_start, c.price_id, c.rate, c.dimension;

-- name: UsageBilledUntil :one
-- The time up to which issued invoices bill the usage of a subscription.
select coalesce(max(i.usage_until), '0001-01-01 00:00:00+00')::timestamptz as billed_until
from invoices i
where i.environment_id = @environment_id and i.subscription_id = @subscription_id and i.status <> 'draft';

-- name: UsageLineList :many
-- The usage lines of paid and payable invoices that have one of a segment that began at or after a time, in the order of issue.
select sqlc.embed(l), i.taxes, i.customer_id, i.status
from invoices i
join invoice_lines l on l.environment_id = i.environment_id and l.invoice_id = i.id
where i.environment_id = @environment_id and i.subscription_id = @subscription_id and i.status in ('open', 'paid')
  and l.kind = 'usage' and exists (
    select from invoice_lines o
    where o.environment_id = i.environment_id and o.invoice_id = i.id and o.kind = 'usage' and o.period_start >= @from_start)
order by i.position, l.position;

-- name: TransactionListReturned :many
-- The charges that settled invoices of a subscription and of which money went back, or is to go back, the newest invoice first.
select s.invoice_id, i.credited_refund, sqlc.embed(t)
from invoices i
join settlements s on s.environment_id = i.environment_id and s.invoice_id = i.id
join transactions t on t.environment_id = s.environment_id and t.id = s.transaction_id
where i.environment_id = @environment_id and i.subscription_id = @subscription_id
  and (t.amount_refunded > 0 or t.refund_owed > 0 or t.disputes is not null)
order by i.number desc;

-- name: InvoiceSumDecidedRefunds :one
-- The money that cancellations of a subscription gave back: by their credit notes, and out of the balance beyond them.
select (select coalesce(sum(n.refund), 0)
        from credit_notes n
        join invoices i on i.environment_id = n.environment_id and i.id = n.invoice_id
        where n.environment_id = @environment_id and i.subscription_id = @subscription_id and n.taken_back_by is not null)::bigint
     + (select coalesce(-sum(e.amount), 0)
        from credit_entries e
        join invoices i on i.environment_id = e.environment_id and i.id = e.invoice_id
        where e.environment_id = @environment_id and e.customer_id = @customer_id and e.reason = 'refunded'
          and i.subscription_id = @subscription_id)::bigint as amount;
