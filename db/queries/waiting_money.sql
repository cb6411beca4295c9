-- Waiting money that operators must see, as sums over all environments. Each environment or account has its own index
-- of rows in the order of their due times. Each one with late rows is read in this order, up to an equal share of
-- @at_most.

-- name: TransactionSumUntaken :many
-- Charges due before a time that no provider has taken. They count by their due time, not by the next attempt, which
-- each refused or unanswered exchange moves. Charges held by a charging stop are reported as such.
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as waiting,
       sum(t.amount)::bigint as amount, min(t.send_due_at)::timestamptz as oldest, min(t.id)::text as first_id
from (
    select t.environment_id, t.currency, t.amount, t.send_due_at, t.id
    from transactions t
    where t.status = 'pending' and t.type = 'charge' and t.provider_ref is null and t.parked_at is null
      and not t.held_by_stop and t.send_due_at < @due_before::timestamptz
    order by t.send_due_at
    limit @at_most::integer) t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by t.environment_id, o.name, a.name, e.mode, t.currency
order by oldest
limit @row_limit;

-- name: TransactionSumUndecided :many
-- Payments that were sent before a time and that their provider has not decided, with any answers so far. If the payer
-- may confirm one, that time is added.
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as waiting,
       sum(t.amount)::bigint as amount, min(t.first_sent_at)::timestamptz as oldest, min(t.id)::text as first_id
from (
    select t.environment_id, t.currency, t.amount, t.first_sent_at, t.id
    from transactions t
    where t.status = 'pending' and t.parked_at is null and t.first_sent_at < @sent_before::timestamptz
      and coalesce(t.action_expires_at < @sent_before::timestamptz, true)
    order by t.first_sent_at
    limit @at_most::integer) t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by t.environment_id, o.name, a.name, e.mode, t.currency
order by oldest
limit @row_limit;

-- name: TransactionSumRefundOwed :many
-- Failed refunds: the debt to payers until a person retries them or returns the amount as credit.
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as waiting,
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

-- name: SubscriptionSumOverdue :many
-- Subscriptions in real time whose next action was due before a time. The amount is the money that waits for that
-- action, as far as it is known: their open invoices, and the flat prices, before taxes, of the next period.
with behind as materialized (
    select e.id, e.mode, a.name as app, o.name as tenant, greatest(1, floor(1.0 / count(*) over () * @at_most::int)::int) as share
    from environments e
    join apps a on a.id = e.app_id
    join tenants o on o.id = a.tenant_id
    where (select s.next_action_at from subscriptions s
           where s.environment_id = e.id and s.finished_at is null and s.test_clock_id is null and s.next_action_at is not null
           order by s.next_action_at limit 1) < @due_before::timestamptz
)
select d.environment_id, b.tenant, b.app, b.mode, d.currency, count(*)::integer as waiting,
       sum(d.open + d.price)::bigint as amount, min(d.next_action_at)::timestamptz as oldest, min(d.id)::text as first_id
from behind b
cross join lateral (
    select s.environment_id, s.id, s.currency, s.next_action_at,
        (select coalesce(sum(i.amount_due), 0) from invoices i
         where i.environment_id = s.environment_id and i.subscription_id = s.id
           and (i.status = 'open' or i.status = 'draft' and s.next_action in ('finalize_invoice', 'bill_usage'))) as open,
        case when s.next_action in ('begin', 'trial_end', 'renewal', 'resume') and s.status <> 'past_due' then
            (select coalesce(sum(case when p.currencies ? s.currency
                 then coalesce((p.currencies -> s.currency ->> 'amount')::bigint, 0) else p.amount end), 0) from prices p
             where p.environment_id = s.environment_id
               and p.plan_id = any(coalesce(s.pending_add_on_ids, s.add_on_ids) || coalesce(s.pending_plan_id, s.plan_id)))
        else 0 end as price
    from subscriptions s
    where s.environment_id = b.id and s.finished_at is null and s.test_clock_id is null and s.next_action_at < @due_before
    order by s.next_action_at
    limit b.share) d
group by d.environment_id, b.tenant, b.app, b.mode, d.currency
order by oldest
limit @row_limit;

-- name: TransactionSumOverdue :many
-- Payments whose send, or next poll of the provider, was due before a time.
with behind as materialized (
    select g.id, greatest(1, floor(1.0 / count(*) over () * @at_most::int)::int) as share
    from (select p.id from provider_configs p union all select v.id from environments v) g
    where (select t.next_check_at from transactions t
           where coalesce(t.provider_config_id, t.environment_id) = g.id and t.status = 'pending' and t.parked_at is null
             and t.next_check_at is not null
           order by t.next_check_at limit 1) < @due_before::timestamptz
)
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as waiting,
       sum(t.amount)::bigint as amount, min(t.next_check_at)::timestamptz as oldest, min(t.id)::text as first_id
from behind b
cross join lateral (
    select t.environment_id, t.currency, t.amount, t.next_check_at, t.id
    from transactions t
    where coalesce(t.provider_config_id, t.environment_id) = b.id and t.status = 'pending' and t.parked_at is null
      and t.next_check_at < @due_before
    order by t.next_check_at
    limit b.share) t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by t.environment_id, o.name, a.name, e.mode, t.currency
order by oldest
limit @row_limit;

-- name: TransactionSumForReview :many
-- Payments that need review.
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.currency, count(*)::integer as waiting,
       sum(t.amount)::bigint as amount, min(t.parked_at)::timestamptz as oldest, min(t.id)::text as first_id
from (
    select t.environment_id, t.currency, t.amount, t.parked_at, t.id
    from transactions t
    where t.parked_at is not null
    order by t.parked_at
    limit @at_most::integer) t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by t.environment_id, o.name, a.name, e.mode, t.currency
order by oldest
limit @row_limit;

-- name: InvoiceSumUnrated :many
-- Drafts in real time whose usage could not be rated, since the first attempt. The amount is that of their other lines,
-- before credit: the amount of the usage is unknown.
select i.environment_id, o.name as tenant, a.name as app, e.mode, i.currency, count(*)::integer as waiting,
       sum(i.total)::bigint as amount, min(i.since)::timestamptz as oldest, min(i.id)::text as first_id
from (
    select d.environment_id, d.currency, d.total, (d.usage_failure ->> 'since')::timestamptz as since, d.id
    from invoices d
    join subscriptions s on s.environment_id = d.environment_id and s.id = d.subscription_id and s.test_clock_id is null
    where d.usage_failure is not null
    order by d.environment_id, d.id
    limit @at_most::integer) i
join environments e on e.id = i.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
group by i.environment_id, o.name, a.name, e.mode, i.currency
order by oldest
limit @row_limit;
