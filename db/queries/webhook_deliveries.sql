-- name: WebhookDeliveryOwe :many
-- Writes deliveries to endpoints, last in the transaction of the events, and marks the endpoints that have to be woken:
-- the result names them. An event without an endpoint goes to every enabled one that wants its type. Locks are taken in
-- id order, and nothing but the invoice counter after them. An event that was delivered already is delivered again. A
-- signal may be lost, so that an endpoint that was to be woken seconds ago is woken again.
with owed as (
    select unnest(@event_ids::text[]) as event_id, unnest(@endpoint_ids::text[]) as endpoint_id
), wanted as materialized (
    select distinct e.position, e.id as event_id, e.type, e.object_id, e.subscription_id, w.id as endpoint_id, w.payload_shape
    from webhook_endpoints w
    cross join owed o
    join events e on e.environment_id = w.environment_id and e.id = o.event_id
    where w.environment_id = @environment_id and w.status = 'enabled'
      and case o.endpoint_id when '' then event_matches(e.type, w.events) else o.endpoint_id = w.id end
), written as (
    insert into webhook_deliveries (
        environment_id, id, endpoint_id, event_id, event_type, object_id, ordering_key, payload_shape, status, next_attempt_at, created_at
    )
    -- The id is made of the event's time and of a hash of both, in the alphabet of ids.
    select @environment_id, 'whd_' || substr(n.event_id, 5, 10) || substr(md5(n.event_id || n.endpoint_id), 1, 16), n.endpoint_id,
        n.event_id, n.type, n.object_id, n.subscription_id, n.payload_shape, 'pending', @now::timestamptz, @now::timestamptz
    from wanted n
    order by n.position, n.endpoint_id
    on conflict (environment_id, event_id, endpoint_id) do update
    set status = 'pending', redeliver = true, next_attempt_at = excluded.next_attempt_at, failed_reason = null, failed_at = null
), sleeping as (
    select w.id
    from webhook_endpoints w
    where w.environment_id = @environment_id
      and (w.wake_pending_since is null or w.wake_pending_since < @lost_before::timestamptz)
      and (w.id in (select n.endpoint_id from wanted n) or w.id = any(@woken_ids::text[]))
    order by w.id
    for no key update
)
update webhook_endpoints w
set wake_pending_since = @now::timestamptz
from sleeping s
where w.environment_id = @environment_id and w.id = s.id
returning w.id;

-- name: WebhookDeliveryGet :one
select sqlc.embed(d) from webhook_deliveries d where d.environment_id = @environment_id and d.id = @id;

-- name: WebhookDeliveryGetWithKey :one
select sqlc.embed(k), sqlc.embed(d)
from api_key_details k
join webhook_deliveries d on d.environment_id = k.environment_id and d.id = @id
where k.hash = @hash;

-- name: WebhookDeliveryList :many
-- Below and above hold the positions of the times too, so that the list is read where the time is, not from its end.
select sqlc.embed(d)
from webhook_deliveries d
where d.environment_id = @environment_id
  and (sqlc.narg('endpoint_id')::text is null or d.endpoint_id = sqlc.narg('endpoint_id'))
  and (sqlc.narg('event_id')::text is null or d.event_id = sqlc.narg('event_id'))
  and (sqlc.narg('object_id')::text is null or d.object_id = sqlc.narg('object_id'))
  and (sqlc.narg('status')::text is null or d.status = sqlc.narg('status'))
  and (sqlc.narg('since')::timestamptz is null or d.created_at >= sqlc.narg('since'))
  and (sqlc.narg('before')::timestamptz is null or d.created_at < sqlc.narg('before'))
  and d.position < @below::bigint and d.position > @above::bigint
order by case when @forward::boolean then d.position end, d.position desc
limit @row_limit;

-- name: WebhookDeliveryListDue :many
-- First attempts in the order of the events, whatever the clocks of their writers said, then later ones by their time.
-- Deliveries with an open attempt are left out, and so are first attempts behind one of the same subscription.
with held as materialized (
    select p.id, p.ordering_key, p.attempts
    from webhook_attempts a
    join webhook_deliveries p on p.environment_id = a.environment_id and p.id = a.delivery_id
    where a.environment_id = @environment_id and a.endpoint_id = @endpoint_id and a.ended_at is null
), due as (
    (select f.id, f.position as turn
     from webhook_deliveries f
     where f.environment_id = @environment_id and f.endpoint_id = @endpoint_id and f.status = 'pending' and f.attempts = 0
       and not exists (select from held h where h.id = f.id or h.attempts = 0 and h.ordering_key = f.ordering_key)
     order by f.position
     limit @row_limit::int)
    union all
    (select r.id, -1 as turn
     from webhook_deliveries r
     where r.environment_id = @environment_id and r.endpoint_id = @endpoint_id and r.status = 'pending' and r.attempts > 0
       and r.next_attempt_at <= @now::timestamptz and not exists (select from held h where h.id = r.id)
     order by r.next_attempt_at
     limit @row_limit::int)
)
select d.id, d.event_id, d.ordering_key, d.payload_shape, d.attempts, d.unknown_attempts, d.last_attempt, d.redeliver,
    (d.succeeded_at is not null)::boolean as delivered, d.created_at, e.type, e.data, e.occurred_at, e.sequence
from due u
join webhook_deliveries d on d.environment_id = @environment_id and d.id = u.id
join events e on e.environment_id = d.environment_id and e.id = d.event_id
where exists (select from webhook_endpoints w
    where w.environment_id = @environment_id and w.id = @endpoint_id and w.revision = @revision and w.status = 'enabled')
order by u.turn, d.next_attempt_at, d.position;

-- name: WebhookDeliveryMayBeDue :one
-- Whether a read of due deliveries may find unknown ones: a cheap query for a run that waits for more. Deliveries with
-- another worker's open attempt count, too. The order makes the plan read the index of pending ones: an exists alone
-- may read the table, whose pending rows are its last.
select ((select f.id from webhook_deliveries f
         where f.environment_id = @environment_id and f.endpoint_id = @endpoint_id and f.status = 'pending' and f.attempts = 0
           and f.id <> all (@known_ids::text[])
         order by f.position limit 1) is not null
    or (select l.id from webhook_deliveries l
        where l.environment_id = @environment_id and l.endpoint_id = @endpoint_id and l.status = 'pending' and l.attempts > 0
          and l.next_attempt_at <= @now::timestamptz and l.id <> all (@known_ids::text[])
        order by l.next_attempt_at limit 1) is not null)::boolean as may_be_due;

-- name: WebhookDeliveryNextDue :one
-- When there is something to do for an endpoint again: a retry is due, or the patience with an open attempt ends. Behind
-- that one first attempts may wait. @never: nothing is pending.
select coalesce(least(
    (select min(d.next_attempt_at) from webhook_deliveries d
     where d.environment_id = @environment_id and d.endpoint_id = @endpoint_id and d.status = 'pending' and d.attempts > 0
       and not exists (select from webhook_attempts a
           where a.environment_id = d.environment_id and a.delivery_id = d.id and a.ended_at is null)),
    (select min(a.started_at) from webhook_attempts a
     where a.environment_id = @environment_id and a.endpoint_id = @endpoint_id and a.ended_at is null)
        + make_interval(secs => @held_seconds::float8)), @never::timestamptz)::timestamptz as next_at,
    (select count(*) from (
        select from webhook_deliveries d
        where d.environment_id = @environment_id and d.endpoint_id = @endpoint_id and d.status = 'pending' and d.attempts = 0
        limit @at_most::int) f)::integer as first,
    (select count(*) from (
        select from webhook_deliveries d
        where d.environment_id = @environment_id and d.endpoint_id = @endpoint_id and d.status = 'pending' and d.attempts > 0
        limit @at_most::int) l)::integer as later;

-- name: WebhookAttemptListLost :many
-- Attempts that were begun so long ago that their worker must be dead.
select a.delivery_id, a.number, a.manual, d.attempts, d.unknown_attempts, d.redeliver,
    (d.succeeded_at is not null)::boolean as delivered
from webhook_attempts a
join webhook_deliveries d on d.environment_id = a.environment_id and d.id = a.delivery_id
where a.environment_id = @environment_id and a.endpoint_id = @endpoint_id and a.ended_at is null and a.started_at <= @before
order by a.started_at
limit @row_limit;

-- name: WebhookAttemptStart :many
-- Returns the deliveries whose attempt was written: none of an endpoint that was changed since it was read, nor one whose
-- attempt another worker has under way. The environment is joined as a column of the attempts: compared with the
-- parameter, it would let a plan that was made while the tables were small read all that an environment has open.
with begun as materialized (
    select @environment_id::text as environment_id, unnest(@delivery_ids::text[]) as delivery_id, unnest(@numbers::int[]) as number,
        unnest(@manuals::boolean[]) as manual, unnest(@endpoint_ids::text[]) as endpoint_id, unnest(@revisions::bigint[]) as revision
)
insert into webhook_attempts (environment_id, delivery_id, number, endpoint_id, manual, started_at)
select b.environment_id, b.delivery_id, b.number, b.endpoint_id, b.manual, @started_at
from begun b
join webhook_endpoints w on w.environment_id = b.environment_id and w.id = b.endpoint_id and w.revision = b.revision
    and w.status = 'enabled'
on conflict do nothing
returning delivery_id;

-- name: WebhookAttemptWithdraw :exec
-- Attempts that were written and not made: as if they never were.
with withdrawn as materialized (
    select @environment_id::text as environment_id, unnest(@delivery_ids::text[]) as delivery_id, unnest(@numbers::int[]) as number
)
delete from webhook_attempts a
using withdrawn n
where a.environment_id = n.environment_id and a.delivery_id = n.delivery_id and a.number = n.number and a.outcome is null;

-- name: PlanForAnyValues :exec
-- In this transaction prepared statements keep one plan, by indexes. The statements that record attempts have a plan
-- that is good for any arrays, and planning it each time takes longer than running it; a plan made while the tables
-- were small would read them whole.
select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true);

-- name: WebhookAttemptEnd :exec
-- Only an open attempt ends: where another worker has closed it as lost, nothing is known any more. A redelivery that
-- was requested while the attempt was under way stays open. A receiver's answer about a customer who was erased
-- meanwhile is not kept: the erasure may have passed here already. For the environment and the outcome see
-- WebhookAttemptStart: the index of open attempts would be read as a whole.
with ended as materialized (
    select @environment_id::text as environment_id, unnest(@delivery_ids::text[]) as delivery_id, unnest(@numbers::int[]) as number, unnest(@ended_at::timestamptz[]) as ended_at,
        unnest(@outcomes::text[]) as outcome, unnest(@status_codes::int[]) as status_code, unnest(@latencies::int[]) as latency_ms,
        unnest(@headers::jsonb[]) as request_headers, unnest(@excerpts::bytea[]) as excerpt, unnest(@error_classes::text[]) as error_class,
        unnest(@error_texts::text[]) as error_text, unnest(@statuses::text[]) as status, unnest(@attempts::int[]) as attempts,
        unnest(@unknowns::int[]) as unknown_attempts, unnest(@next_at::timestamptz[]) as next_at,
        unnest(@reasons::text[]) as failed_reason, unnest(@redeliver::boolean[]) as redeliver
), written as (
    update webhook_attempts a
    set ended_at = e.ended_at, outcome = e.outcome, status_code = nullif(e.status_code, 0),
        latency_ms = case e.outcome when 'unknown' then null else e.latency_ms end,
        request_headers = e.request_headers, error_class = nullif(e.error_class, ''),
        response_excerpt = case when octet_length(e.excerpt) = 0 or (
            select c.erased_at from customers c where c.environment_id = e.environment_id and c.id = (
                select v.customer_id from events v where v.environment_id = e.environment_id and v.id = (
                    select o.event_id from webhook_deliveries o
                    where o.environment_id = e.environment_id and o.id = e.delivery_id))) is null then e.excerpt end,
        error_text = case e.error_class when '' then null else e.error_text end
    from ended e
    where a.environment_id = e.environment_id and a.delivery_id = e.delivery_id and a.number = e.number and a.outcome is null
    returning a.delivery_id, a.manual, e.number, e.ended_at, e.outcome, e.status, e.attempts, e.unknown_attempts, e.next_at,
        e.failed_reason, e.redeliver
)
update webhook_deliveries d
set attempts = w.attempts, unknown_attempts = w.unknown_attempts, last_attempt = greatest(d.last_attempt, w.number),
    status = case when webhook_end_is_past(d, w.manual, w.outcome) then d.status else w.status end,
    next_attempt_at = case when webhook_end_is_past(d, w.manual, w.outcome) then d.next_attempt_at when w.status = 'pending' then w.next_at end,
    redeliver = case when webhook_end_is_past(d, w.manual, w.outcome) then d.redeliver else w.redeliver end,
    failed_reason = case when webhook_end_is_past(d, w.manual, w.outcome) then d.failed_reason else nullif(w.failed_reason, '') end,
    failed_at = case when webhook_end_is_past(d, w.manual, w.outcome) then d.failed_at when w.status = 'failed' then w.ended_at end,
    succeeded_at = coalesce(d.succeeded_at, case w.outcome when 'succeeded' then w.ended_at end)
from written w
where d.environment_id = @environment_id and d.id = w.delivery_id;

-- name: WebhookDeliveryClose :one
-- The pending deliveries of a disabled endpoint fail, including those with an attempt under way: if it succeeds, that
-- is recorded.
with closing as (
    select d.id
    from webhook_deliveries d
    where d.environment_id = @environment_id and d.endpoint_id = @endpoint_id and d.status = 'pending'
    limit @row_limit
), closed as (
    update webhook_deliveries d
    set status = case when d.succeeded_at is null then 'failed' else 'succeeded' end,
        failed_reason = case when d.succeeded_at is null then 'endpoint_disabled' end,
        failed_at = case when d.succeeded_at is null then @now::timestamptz end, next_attempt_at = null, redeliver = false
    from closing c
    where d.environment_id = @environment_id and d.id = c.id
    returning 1
)
select count(*)::integer as closed from closed;

-- name: WebhookDeliveryPurge :one
-- Locked, so that a delivery that is requested again at this moment stays.
with old as (
    select d.environment_id, d.id
    from webhook_deliveries d
    where d.created_at < @before and d.status <> 'pending'
    order by d.created_at
    limit @row_limit
    for update skip locked
), attempts as (
    delete from webhook_attempts a using old o where a.environment_id = o.environment_id and a.delivery_id = o.id
), purged as (
    delete from webhook_deliveries d using old o where d.environment_id = o.environment_id and d.id = o.id
    returning 1
)
select count(*)::integer as purged from purged;
