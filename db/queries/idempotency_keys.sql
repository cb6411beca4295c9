-- name: IdempotencyKeyInsertAnswered :exec
-- A concurrent duplicate waits here until the first transaction ends, and then fails on the primary key.
insert into idempotency_keys (environment_id, route, key, fingerprint, status_code, response, customer_id, created_at)
values (@environment_id, @route, @key, @fingerprint, @status_code, @response, @customer_id, @created_at);

-- name: IdempotencyKeyReserve :exec
-- A row without an answer is seen by its own transaction only: it is answered before the commit.
insert into idempotency_keys (environment_id, route, key, fingerprint, created_at)
values (@environment_id, @route, @key, @fingerprint, @created_at);

-- name: IdempotencyKeyAnswer :exec
update idempotency_keys set status_code = @status_code, response = @response, customer_id = sqlc.narg('customer_id')::text
where environment_id = @environment_id and route = @route and key = @key;

-- name: IdempotencyKeyGet :one
select sqlc.embed(i)
from idempotency_keys i
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
