-- name: EventInsert :exec
-- The sequence numbers come from the subscription's row and from the customer's row of its own, which order the events
-- of each; without a subscription, or a customer, there is none. A second event of the same type about the same object
-- within a second moves on by one, because receivers dedupe on type, object and timestamp. The writer holds the
-- object's lock, so no other one takes the same second meanwhile.
with subscription as (
    update subscriptions s set event_sequence = s.event_sequence + 1
    where s.environment_id = @environment_id and s.id = sqlc.narg('subscription_id')
    returning s.event_sequence
), customer as (
    insert into customer_event_sequences as c (environment_id, customer_id, last)
    select @environment_id, sqlc.narg('customer_id'), 1 where sqlc.narg('customer_id')::text is not null
    on conflict (environment_id, customer_id) do update set last = c.last + 1
    returning c.last
)
insert into events (
    id, environment_id, type, object_id, customer_id, subscription_id, sequence, customer_sequence, data, occurred_at, created_at
) values (
    @id, @environment_id, @type, @object_id, sqlc.narg('customer_id'), sqlc.narg('subscription_id'),
    (select subscription.event_sequence from subscription), (select customer.last from customer), @data,
    (select coalesce(max(e.occurred_at) + 1, @occurred_at::bigint) from events e
     where e.environment_id = @environment_id and e.type = @type and e.object_id = @object_id
       and e.occurred_at >= @occurred_at::bigint),
    @created_at
);

-- name: EventGet :one
select sqlc.embed(e) from events e where e.environment_id = @environment_id and e.id = @id;

-- name: EventGetWithKey :one
select sqlc.embed(k), sqlc.embed(e)
from api_key_details k
join events e on e.environment_id = k.environment_id and e.id = @id
where k.hash = @hash;

-- name: EventList :many
-- The caller narrows the positions to a span of time, too. coalesce keeps the planner from counting the span twice: it would
-- expect next to nothing, and read and sort all of it.
select sqlc.embed(e)
from events e
where e.environment_id = @environment_id
  and (sqlc.narg('type')::text is null or e.type = sqlc.narg('type'))
  and (sqlc.narg('type_group')::text is null or split_part(e.type, '.', 1) = sqlc.narg('type_group'))
  and (sqlc.narg('object_id')::text is null or e.object_id = sqlc.narg('object_id'))
  and (sqlc.narg('subscription_id')::text is null or e.subscription_id = sqlc.narg('subscription_id'))
  and (sqlc.narg('customer_id')::text is null or e.customer_id = sqlc.narg('customer_id'))
  and coalesce(e.created_at >= sqlc.narg('recorded_from')::timestamptz, true)
  and coalesce(e.created_at < sqlc.narg('recorded_to')::timestamptz, true)
  and e.position < @below::bigint and e.position > @above::bigint
order by case when @forward::boolean then e.position end, e.position desc
limit @row_limit;

-- name: EventPositionsAround :one
-- The positions between which every event lies that was recorded in a span of time. An id begins with the time at which its
-- event was recorded, so that the ids around the span find them.
select
    coalesce((select e.position from events e
              where e.environment_id = @environment_id and e.id < @first_id
              order by e.id desc limit 1), 0)::bigint as above,
    coalesce((select e.position from events e
              where e.environment_id = @environment_id and e.id >= @end_id
              order by e.id limit 1), 9223372036854775807)::bigint as below;
