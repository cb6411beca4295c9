-- name: IdempotencyKeyInsertAnswered :exec
-- A concurrent duplicate waits here until the first transaction ends, and then fails on the primary key.
insert into idempotency_keys (environment_id, route, key, fingerprint, status_code, response, customer_id, created_at)
values (@environment_id, @route, @key, @fingerprint, @status_code, @response, @customer_id, @created_at);

-- name: IdempotencyKeyReserve :exec
-- A row without an answer is seen by its own transaction only: it is answered before the commit.
insert into idempotency_keys (environment_id, route, key, fingerprint, created_at)
values (@environment_id, @route, @key, @fingerprint, @created_at);

-- name: IdempotencyKeyAnswer :exec
-- Of a customer who is erased only the fact is kept; the share lock keeps a later erasure waiting until it can see the
-- answer.
with owner as (
    select c.erased_at from customers c
    where c.environment_id = @environment_id and c.id = sqlc.narg('customer_id')::text
    for share of c
)
update idempotency_keys i
set status_code = @status_code, customer_id = sqlc.narg('customer_id')::text,
    response = case when (select o.erased_at from owner o) is null then @response::bytea end,
    erased_at = (select o.erased_at from owner o)
where i.environment_id = @environment_id and i.route = @route and i.key = @key;

-- name: IdempotencyKeyGet :one
-- The response is gone with its customer, also before the erasure has reached it.
select sqlc.embed(i), c.erased_at as owner_erased_at
from idempotency_keys i
left join customers c on c.environment_id = i.environment_id and c.id = i.customer_id
where i.environment_id = @environment_id and i.route = @route and i.key = @key;

-- name: IdempotencyKeyPurge :one
with purged as (
    delete from idempotency_keys
    where (environment_id, route, key) in (
        select i.environment_id, i.route, i.key from idempotency_keys i
        where i.created_at < @before order by i.created_at limit @row_limit)
    returning 1
)
select count(*)::integer as purged from purged;
