-- The reads of the webhooks API besides the single rows: the log with its attempts, the events that an endpoint missed,
-- and the number of endpoints.

-- name: WebhookRegistrationLock :one
-- Registrations of an environment happen one after the other, so that the number of endpoints stays bounded. The app's
-- keyset comes along, since the new secret is sealed with it.
select a.id as app_id, a.keyset
from environments e
join apps a on a.id = e.app_id
where e.id = @environment_id
for no key update of e;

-- name: WebhookLogListAttempts :many
-- The last attempts of each delivery, with the beginning of the receiver's answer: a page of a hundred deliveries could
-- otherwise have megabytes of answers.
select a.delivery_id, a.number, a.manual, a.started_at, a.ended_at, a.outcome, a.status_code, a.latency_ms, a.request_headers,
    coalesce(substring(a.response_excerpt from 1 for @excerpt_bytes::int), '')::bytea as response_excerpt,
    coalesce(octet_length(a.response_excerpt), 0)::int as response_bytes, a.error_class, a.error_text
from unnest(@delivery_ids::text[]) as d(id)
cross join lateral (
    select t.* from webhook_attempts t
    where t.environment_id = @environment_id and t.delivery_id = d.id
    order by t.number desc
    limit @per_delivery::int
) a
order by a.delivery_id, a.number;

-- name: WebhookEndpointListBacklogs :many
-- The deliveries that wait for endpoints, each kind counted up to a bound, and the time since which the oldest waits:
-- since it was written, or, for a redelivery, since it is due. Retries are counted in the order in which they are due.
select w.id::text as id, f.n as first, l.n as later, least(f.oldest, l.oldest)::timestamptz as since
from unnest(@endpoint_ids::text[]) as w(id)
cross join lateral (
    select count(*)::int as n, min(o.since) as oldest
    from (select case when d.redeliver then d.next_attempt_at else d.created_at end as since from webhook_deliveries d
          where d.environment_id = @environment_id and d.endpoint_id = w.id and d.status = 'pending' and d.attempts = 0
          order by d.position limit @at_most::int) o
) f
cross join lateral (
    select count(*)::int as n, min(o.since) as oldest
    from (select case when d.redeliver then d.next_attempt_at else d.created_at end as since from webhook_deliveries d
          where d.environment_id = @environment_id and d.endpoint_id = w.id and d.status = 'pending' and d.attempts > 0
          order by d.next_attempt_at limit @at_most::int) o
) l
where f.n + l.n > 0;

-- name: WebhookEventListOfRange :many
-- Events by id, which is by the time at which they were written, and what became of their delivery to an endpoint; empty:
-- it was never owed them.
select e.id, e.type, coalesce(d.status, '')::text as status
from events e
left join webhook_deliveries d on d.environment_id = e.environment_id and d.event_id = e.id and d.endpoint_id = @endpoint_id
where e.environment_id = @environment_id and e.id > @after and e.id < @before
order by e.id
limit @row_limit;

-- name: WebhookDeliveryPositions :one
-- Between which positions deliveries of a time lie, in any environment, a minute wider: lists are ordered by position.
select coalesce((select f.position from webhook_deliveries f where f.created_at >= @since order by f.created_at limit 1), 0)::bigint as first,
    coalesce((select l.position from webhook_deliveries l where l.created_at < @before order by l.created_at desc limit 1), 0)::bigint as last;
