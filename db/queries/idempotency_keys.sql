-- name: IdempotencyKeyInsertAnswered :exec
-- A concurrent duplicate waits here until the first transaction ends, and then fails on the primary key.
insert into idempotency_keys (
    environment_id, route, key, fingerprint, command_id, state, status_code, response, customer_id, created_at
) values (
    @environment_id, @route, @key, @fingerprint, @command_id, 'answered', @status_code, @response, @customer_id, @created_at
);

-- name: IdempotencyKeyClaim :one
-- A new key is claimed; so is one in flight whose lease has run out, provided that the body is the same: its command is
-- run again under its own command id. Any other comes back as no row.
insert into idempotency_keys (environment_id, route, key, fingerprint, command_id, state, lease_until, created_at)
values (@environment_id, @route, @key, @fingerprint, @command_id, 'in_flight', @lease_until, @created_at)
on conflict (environment_id, route, key) do update set lease_until = excluded.lease_until
    where idempotency_keys.state = 'in_flight' and idempotency_keys.lease_until < excluded.created_at
      and idempotency_keys.fingerprint = excluded.fingerprint
returning environment_id, route, key, fingerprint, command_id, state, lease_until, status_code, response, customer_id,
    erased_at, created_at;

-- name: IdempotencyKeyPerform :exec
update idempotency_keys set state = 'performed', lease_until = null
where environment_id = @environment_id and route = @route and key = @key and state = 'in_flight';

-- name: IdempotencyKeyAnswer :exec
-- The first answer counts. Of a customer who was erased since it was rendered only the fact is kept; the share lock keeps a
-- later erasure waiting until it can see the answer.
with owner as (
    select c.erased_at from customers c
    where c.environment_id = @environment_id and c.id = sqlc.narg('customer_id')::text
    for share of c
)
update idempotency_keys i
set state = 'answered', lease_until = null, status_code = @status_code, customer_id = sqlc.narg('customer_id')::text,
    response = case when (select o.erased_at from owner o) is null then @response::bytea end,
    erased_at = (select o.erased_at from owner o)
where i.environment_id = @environment_id and i.route = @route and i.key = @key and i.state <> 'answered';

-- name: IdempotencyKeyRelease :exec
-- A request that nobody answered (503) may still be carried out: its key stays taken for its body and its command id, but
-- a repeat need not wait until the lease runs out.
update idempotency_keys set lease_until = created_at - interval '1 second'
where environment_id = @environment_id and route = @route and key = @key and state = 'in_flight' and command_id = @command_id;

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
