-- Money that waits and that nobody asks about, over all environments: the sums that operators must see.

-- name: TransactionSumUntaken :many
-- Charges due before then that no provider has taken. By when they were due, not by when they are tried next: each refused
-- or silent exchange moves that on.
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as payments,
       sum(t.amount)::bigint as amount, min(t.send_due_at)::timestamptz as oldest, min(t.id)::text as first_id
from (
    select t.environment_id, t.currency, t.amount, t.send_due_at, t.id
    from transactions t
    where t.status = 'pending' and t.type = 'charge' and t.provider_ref is null and t.parked_at is null
      and t.send_due_at < @due_before::timestamptz
    order by t.send_due_at
    limit @at_most::integer) t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by t.environment_id, o.name, a.name, e.mode, t.currency
order by oldest
limit @row_limit;

-- name: TransactionSumRefundOwed :many
-- Refunds that failed: what is owed to payers until a person retries them or returns the amount as credit.
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as payments,
       sum(t.refund_owed)::bigint as amount, min(coalesce(t.refund_owed_at, t.created_at))::timestamptz as oldest, min(t.id)::text as first_id
from (
    select t.environment_id, t.currency, t.refund_owed, t.refund_owed_at, t.created_at, t.id
    from transactions t
    where t.refund_owed > 0
    order by t.refund_owed_at
    limit @at_most::integer) t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by t.environment_id, o.name, a.name, e.mode, t.currency
order by oldest
limit @row_limit;
