-- name: SubscriptionGet :one
select sqlc.embed(s) from subscriptions s where s.environment_id = @environment_id and s.id = @id;

-- name: SubscriptionGetWithKey :one
-- With its items, in one row: every request about one subscription begins with this, and a statement of their own would
-- look for the key again.
select sqlc.embed(k), sqlc.embed(s), n.item_ids, n.price_ids, n.quantities, n.joined
from api_key_details k
join subscriptions s on s.environment_id = k.environment_id and s.id = @id
cross join lateral (
    select coalesce(array_agg(i.id), '{}')::text[] as item_ids, coalesce(array_agg(i.price_id), '{}')::text[] as price_ids,
        coalesce(array_agg(i.quantity), '{}')::bigint[] as quantities, coalesce(array_agg(i.joined), '{}')::integer[] as joined
    from (
        select m.id, m.price_id, m.quantity, m.joined from subscription_items m
        where m.environment_id = s.environment_id and m.subscription_id = s.id and m.ended_at is null
        order by m.position
    ) i
) n
where k.hash = @hash;

-- name: SubscriptionListBillings :many
-- What a customer's subscriptions that have not ended bill, now and from the next period on: each plan and add-on once for
-- each currency and way in which it is billed, with each of its prices. A customer with a thousand alike has one.
with billed as (
    select distinct s.currency, s.collection_method, s.cancel_at_period_end, b.plan_id
    from subscriptions s
    cross join lateral unnest(array[s.plan_id, s.pending_plan_id] || s.add_on_ids || s.pending_add_on_ids) as b (plan_id)
    where s.environment_id = @environment_id and s.customer_id = @customer_id and s.status <> 'canceled'
      and (s.payment_method_id = sqlc.narg('payment_method_id')
           or @by_default::boolean and s.payment_method_id is null)
)
select b.currency, b.collection_method, b.cancel_at_period_end, sqlc.embed(p), sqlc.embed(r)
from billed b
join plans p on p.environment_id = @environment_id and p.id = b.plan_id
join prices r on r.environment_id = p.environment_id and r.plan_id = p.id
order by b.currency, b.collection_method, b.cancel_at_period_end, p.id, r.position;

-- name: SubscriptionLock :one
-- No key update: invoices, transactions and events that refer to it may be inserted meanwhile, nobody else may change it.
select sqlc.embed(s) from subscriptions s where s.environment_id = @environment_id and s.id = @id for no key update;

-- name: SubscriptionList :many
-- Without those whose only attempt of the first payment failed: their creation was refused.
select sqlc.embed(s)
from subscriptions s
where s.environment_id = @environment_id and not (s.attempts_once and s.status = 'canceled')
  and (sqlc.narg('customer_id')::text is null or s.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('status')::text is null or s.status = sqlc.narg('status'))
  and (sqlc.narg('test_clock_id')::text is null or s.test_clock_id = sqlc.narg('test_clock_id'))
  and s.position < @below::bigint and s.position > @above::bigint
order by case when @forward::boolean then s.position end, s.position desc
limit @row_limit;

-- name: SubscriptionListForAccess :many
-- Those of a customer that have not ended, newest first, and the newest that has; each with how the invoice in collection
-- stands.
select sqlc.embed(s), coalesce(i.phase, '') as phase, coalesce(i.attempts, 0)::integer as attempts
from subscriptions s
left join invoices i on i.environment_id = s.environment_id and i.id = s.collecting_invoice_id
where s.environment_id = @environment_id and s.id in (
    (select c.id from subscriptions c
     where c.environment_id = @environment_id and c.customer_id = @customer_id and c.status <> 'canceled'
     order by c.position desc limit @row_limit)
    union all
    (select e.id from subscriptions e
     where e.environment_id = @environment_id and e.customer_id = @customer_id and e.status = 'canceled' and not e.attempts_once
     order by e.position desc limit 1)
)
order by s.position desc;

-- name: FeatureListForAccess :many
-- The features of plans and add-ons, which are the same in all of their versions.
select p.id as plan_id, p.features
from plans p
where p.environment_id = @environment_id and p.id = any(@plan_ids::text[]) and p.features is not null;

-- name: SubscriptionListOfPlan :many
-- On any version of a plan. Each version's newest come from an index of their own.
select sqlc.embed(s)
from plans p
cross join lateral (
    select n.id
    from subscriptions n
    where n.environment_id = p.environment_id and n.plan_id = p.id and not (n.attempts_once and n.status = 'canceled')
      and (sqlc.narg('customer_id')::text is null or n.customer_id = sqlc.narg('customer_id'))
      and (sqlc.narg('status')::text is null or n.status = sqlc.narg('status'))
      and (sqlc.narg('test_clock_id')::text is null or n.test_clock_id = sqlc.narg('test_clock_id'))
      and n.position < @below::bigint and n.position > @above::bigint
    order by case when @forward::boolean then n.position end, n.position desc
    limit @row_limit) found
join subscriptions s on s.environment_id = p.environment_id and s.id = found.id
where p.environment_id = @environment_id and p.plan_id = @plan_id
  and (sqlc.narg('plan_version')::integer is null or p.version = sqlc.narg('plan_version'))
order by case when @forward::boolean then s.position end, s.position desc
limit @row_limit;

-- name: SubscriptionListOfAddOn :many
-- That have any version of an add-on.
select sqlc.embed(s)
from subscriptions s
where s.environment_id = @environment_id and s.add_on_ids <> '{}' and not (s.attempts_once and s.status = 'canceled')
  and s.add_on_ids && array(
      select p.id from plans p
      where p.environment_id = @environment_id and p.plan_id = @add_on_id
        and (sqlc.narg('version')::integer is null or p.version = sqlc.narg('version')))
  and (sqlc.narg('plan_id')::text is null or split_part(s.plan_id, '.', 1) = sqlc.narg('plan_id'))
  and (sqlc.narg('customer_id')::text is null or s.customer_id = sqlc.narg('customer_id'))
  and (sqlc.narg('status')::text is null or s.status = sqlc.narg('status'))
  and (sqlc.narg('test_clock_id')::text is null or s.test_clock_id = sqlc.narg('test_clock_id'))
  and s.position < @below::bigint and s.position > @above::bigint
order by case when @forward::boolean then s.position end, s.position desc
limit @row_limit;

-- name: SubscriptionMarkMethodChanged :many
-- The row revision rises, so that a workflow that acts on older state reloads first. In id order, so that two writers
-- that mark the same customer lock in the same order. Not a canceled one: it may be unfinished for long (a payment that
-- waits for a person), but collects nothing by itself any more, so that nobody would ever take the mark off.
with collecting as (
    select s.id
    from subscriptions s
    where s.environment_id = @environment_id and s.customer_id = @customer_id and s.status <> 'canceled'
      and (s.payment_method_id = sqlc.narg('payment_method_id')
           or @by_default::boolean and s.payment_method_id is null)
    order by s.id
    for no key update
)
update subscriptions s
set method_changed_at = @method_changed_at, wake_pending_since = coalesce(s.wake_pending_since, @method_changed_at),
    revision = s.revision + 1
from collecting c
where s.environment_id = @environment_id and s.id = c.id
returning s.id;

-- name: SubscriptionListOfMethod :many
-- Those that have not ended and name the payment method.
select s.id
from subscriptions s
where s.environment_id = @environment_id and s.payment_method_id = @payment_method_id and s.status <> 'canceled'
order by s.id
limit @row_limit;

-- name: SubscriptionReplaceMethod :many
-- In place of a payment method they name another one, or none, which is the customer's default. Marked as by
-- SubscriptionMarkMethodChanged.
with naming as (
    select s.id
    from subscriptions s
    where s.environment_id = @environment_id and s.payment_method_id = @payment_method_id and s.status <> 'canceled'
    order by s.id
    for no key update
)
update subscriptions s
set payment_method_id = sqlc.narg('replacement_id'), method_changed_at = @method_changed_at,
    wake_pending_since = coalesce(s.wake_pending_since, @method_changed_at), revision = s.revision + 1
from naming n
where s.environment_id = @environment_id and s.id = n.id
returning s.id;

-- name: SubscriptionSetWakePending :exec
update subscriptions set wake_pending_since = @wake_pending_since
where environment_id = @environment_id and id = @id and wake_pending_since is null;

-- name: SubscriptionClearWakePending :exec
update subscriptions set wake_pending_since = null
where environment_id = @environment_id and id = @id and wake_pending_since is not null;

-- name: CommitWithoutFlush :exec
-- The commit of this transaction does not wait for the disk. Should the server crash within half a second, it never was.
select set_config('synchronous_commit', 'off', true);
