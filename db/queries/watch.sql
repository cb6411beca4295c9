-- The rows that callers wait for, read for all callers of a process together: see db/watch.go.

-- name: WatchTransactions :many
select t.environment_id, t.id
from transactions t
join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) w
    on t.environment_id = w.environment_id and t.id = w.id
where t.status <> 'pending' or (t.action_url is not null and t.action_brought is null and t.cancel_requested_at is null); -- see WaitsForPayer

-- name: WatchTestClocks :many
select c.environment_id, c.id
from test_clocks c
join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) w
    on c.environment_id = w.environment_id and c.id = w.id
where c.status = 'ready';

-- name: WatchSubscriptions :many
-- Begun, and with no payment under way, not counting one that only its payer can continue.
select s.environment_id, s.id
from subscriptions s
join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) w
    on s.environment_id = w.environment_id and s.id = w.id
where s.next_action <> 'begin'
  and not exists (
      select from transactions t
      where t.environment_id = s.environment_id and t.subscription_id = s.id and t.type = 'charge' and t.status = 'pending'
        and (t.action_url is null or t.action_brought is not null or t.cancel_requested_at is not null)); -- see WaitsForPayer
