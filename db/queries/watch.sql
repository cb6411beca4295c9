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
