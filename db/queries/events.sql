-- name: EventInsert :exec
-- The sequence number comes from the subscription's row, which orders its events; without a subscription there is none.
-- A second event of the same type about the same object within a second moves on by one, because receivers dedupe on
-- type, object and timestamp. The writer holds the object's lock, so nobody takes the same second meanwhile.
with subscription as (
    update subscriptions s set event_sequence = s.event_sequence + 1
    where s.environment_id = @environment_id and s.id = sqlc.narg('subscription_id')
    returning s.event_sequence
)
insert into events (
    id, environment_id, type, object_id, customer_id, subscription_id, sequence, data, occurred_at, created_at
) values (
    @id, @environment_id, @type, @object_id, sqlc.narg('customer_id'), sqlc.narg('subscription_id'),
    (select subscription.event_sequence from subscription), @data,
    (select coalesce(max(e.occurred_at) + 1, @occurred_at::bigint) from events e
     where e.environment_id = @environment_id and e.type = @type and e.object_id = @object_id
       and e.occurred_at >= @occurred_at::bigint),
    @created_at
);

-- name: EventGetWithKey :one
select sqlc.embed(k), sqlc.embed(e)
from api_key_details k
join events e on e.environment_id = k.environment_id and e.id = @id
where k.hash = @hash;

-- name: EventList :many
select sqlc.embed(e)
from events e
where e.environment_id = @environment_id
  and (sqlc.narg('type')::text is null or e.type = sqlc.narg('type'))
  and (sqlc.narg('subscription_id')::text is null or e.subscription_id = sqlc.narg('subscription_id'))
  and (sqlc.narg('customer_id')::text is null or e.customer_id = sqlc.narg('customer_id'))
  and e.position < @below::bigint and e.position > @above::bigint
order by case when @forward::boolean then e.position end, e.position desc
limit @row_limit;
