-- name: WebhookDeliveryOwe :many
-- Writes what endpoints are owed, last in the transaction of the events, and marks those of them that have to be woken:
-- the answer names them. An owed event without an endpoint goes to every enabled one that wants its type. Locks are taken
-- in id order, and nothing but the invoice counter after them. An event that was delivered already is delivered again.
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
    where w.environment_id = @environment_id and w.wake_pending_since is null
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
-- Times are turned into positions first, a minute wider, since rows are listed by position: so the index on them is read
-- where the time is, not from its end.
select sqlc.embed(d)
from webhook_deliveries d
where d.environment_id = @environment_id
  and (sqlc.narg('endpoint_id')::text is null or d.endpoint_id = sqlc.narg('endpoint_id'))
  and (sqlc.narg('event_id')::text is null or d.event_id = sqlc.narg('event_id'))
  and (sqlc.narg('object_id')::text is null or d.object_id = sqlc.narg('object_id'))
  and (sqlc.narg('status')::text is null or d.status = sqlc.narg('status'))
  and (sqlc.narg('since')::timestamptz is null or d.created_at >= sqlc.narg('since') and d.position >= (
      select p.position from webhook_deliveries p
      where p.created_at >= sqlc.narg('since')::timestamptz - interval '1 minute' order by p.created_at limit 1))
  and (sqlc.narg('before')::timestamptz is null or d.created_at < sqlc.narg('before') and d.position <= (
      select p.position from webhook_deliveries p
      where p.created_at < sqlc.narg('before')::timestamptz + interval '1 minute' order by p.created_at desc limit 1))
  and d.position < @below::bigint and d.position > @above::bigint
order by case when @forward::boolean then d.position end, d.position desc
limit @row_limit;

-- name: WebhookAttemptList :many
select sqlc.embed(a)
from webhook_attempts a
where a.environment_id = @environment_id and a.delivery_id = any(@delivery_ids::text[])
order by a.delivery_id, a.number
limit @row_limit;
