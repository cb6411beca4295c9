-- What callers wait for, asked for all callers of a process together: see db/watch.go.

-- name: WatchTransactions :many
select t.environment_id, t.id
from transactions t
join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) w
    on t.environment_id = w.environment_id and t.id = w.id
where t.status <> 'pending';

-- name: WatchTestClocks :many
select c.environment_id, c.id
from test_clocks c
join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) w
    on c.environment_id = w.environment_id and c.id = w.id
where c.status = 'ready';

-- name: WatchIdempotencyKeys :many
-- Also one whose lease has run out: whoever waits for it may take it over.
select i.environment_id, i.route, i.key
from idempotency_keys i
join (select unnest(@environment_ids::text[]) as environment_id, unnest(@routes::text[]) as route, unnest(@keys::text[]) as key) w
    on i.environment_id = w.environment_id and i.route = w.route and i.key = w.key
where i.state <> 'in_flight' or i.lease_until < @now;
