-- name: WebhookEndpointInsert :exec
insert into webhook_endpoints (id, environment_id, url, description, events, payload_shape, status, secret_sealed, created_at)
values (@id, @environment_id, @url, @description, @events, @payload_shape, 'enabled', @secret_sealed, @created_at);

-- name: WebhookEndpointGet :one
-- The app's wrapped keyset comes along, since no secret can be opened without it.
select sqlc.embed(w), e.mode, e.app_id, a.keyset
from webhook_endpoints w
join environments e on e.id = w.environment_id
join apps a on a.id = e.app_id
where w.environment_id = @environment_id and w.id = @id and w.deleted_at is null;

-- name: WebhookEndpointGetToDeliver :one
-- Also a deleted one: its remaining deliveries must be closed.
select sqlc.embed(w), e.mode, e.app_id, a.keyset
from webhook_endpoints w
join environments e on e.id = w.environment_id
join apps a on a.id = e.app_id
where w.environment_id = @environment_id and w.id = @id;

-- name: WebhookEndpointGetWithKey :one
select sqlc.embed(k), sqlc.embed(w)
from api_key_details k
join webhook_endpoints w on w.environment_id = k.environment_id and w.id = @id and w.deleted_at is null
where k.hash = @hash;

-- name: WebhookEndpointList :many
select sqlc.embed(w)
from webhook_endpoints w
where w.environment_id = @environment_id and w.deleted_at is null
  and (sqlc.narg('status')::text is null or w.status = sqlc.narg('status'))
  and w.position < @below::bigint and w.position > @above::bigint
order by case when @forward::boolean then w.position end, w.position desc
limit @row_limit;

-- name: WebhookEndpointCount :one
select count(*)::integer as endpoints
from webhook_endpoints w
where w.environment_id = @environment_id and w.deleted_at is null;

-- name: WebhookEndpointLock :one
select sqlc.embed(w), e.mode, e.app_id, a.keyset
from webhook_endpoints w
join environments e on e.id = w.environment_id
join apps a on a.id = e.app_id
where w.environment_id = @environment_id and w.id = @id and w.deleted_at is null
for no key update of w;

-- name: WebhookEndpointLockEnabled :many
-- All that an event of the environment may wake, in the order in which writers of events lock them.
select w.id
from webhook_endpoints w
where w.environment_id = @environment_id and w.status = 'enabled'
order by w.id
for no key update;

-- name: WebhookEndpointUpdate :exec
with written as (
    update webhook_endpoints
    set url = @url, description = @description, events = @events, payload_shape = @payload_shape, status = @status,
        disabled_reason = sqlc.narg('disabled_reason'), disabled_at = sqlc.narg('disabled_at'), secret_sealed = @secret_sealed,
        previous_secret_sealed = @previous_secret_sealed, previous_secret_until = sqlc.narg('previous_secret_until'),
        failing_since = sqlc.narg('failing_since'), deleted_at = sqlc.narg('deleted_at'), revision = revision + 1
    where environment_id = @environment_id and id = @id and revision = @revision
    returning 1
)
select 1 / count(*) from written;

-- name: WebhookEndpointClearWakePending :exec
-- Until the look that follows has ended, the endpoint counts as due now: should its workflow be lost meanwhile, the
-- reconciler wakes it.
update webhook_endpoints set wake_pending_since = null, next_attempt_at = @now
where environment_id = @environment_id and id = @id;

-- name: WebhookEndpointSetNextAttempt :exec
update webhook_endpoints set next_attempt_at = sqlc.narg('next_attempt_at')
where environment_id = @environment_id and id = @id;

-- name: WebhookEndpointSetFailing :exec
-- Only a change is written: the row is shared by all writers of events.
update webhook_endpoints set failing_since = sqlc.narg('failing_since')
where environment_id = @environment_id and id = @id and (failing_since is null) <> (sqlc.narg('failing_since')::timestamptz is null);

-- name: WebhookEndpointListUnstarted :many
select w.environment_id, w.id
from webhook_endpoints w
where w.status = 'enabled' and w.started_epoch < @epoch
order by w.started_epoch, w.id
limit @row_limit;

-- name: WebhookEndpointSetStarted :exec
-- In id order, as everywhere where several are locked.
with unmarked as (
    select w.environment_id, w.id
    from webhook_endpoints w
    join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) started
        on w.environment_id = started.environment_id and w.id = started.id
    where w.started_epoch < @epoch
    order by w.id
    for no key update of w
)
update webhook_endpoints w
set started_epoch = @epoch
from unmarked u
where w.environment_id = u.environment_id and w.id = u.id;

-- name: WebhookEndpointListAsleep :many
-- Endpoints whose signal did not arrive, or whose due work is late. An endpoint that stays in the list delays no other:
-- a signal to it costs the same as to any.
select w.environment_id, w.id
from (
    (select p.environment_id, p.id, p.wake_pending_since as since
     from webhook_endpoints p
     where p.wake_pending_since < @wake_before
     order by p.wake_pending_since
     limit @row_limit::int)
    union all
    (select d.environment_id, d.id, d.next_attempt_at
     from webhook_endpoints d
     where d.next_attempt_at < @due_before
     order by d.next_attempt_at
     limit @row_limit::int)
) w
group by w.environment_id, w.id
order by min(w.since), w.id
limit @row_limit::int;
