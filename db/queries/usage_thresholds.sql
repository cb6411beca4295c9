-- name: UsageTouch :exec
-- Those of some subscriptions whose usage counts and that have thresholds.
insert into usage_touched (environment_id, subscription_id, touched_at)
select s.environment_id, s.id, clock_timestamp()
from subscriptions s
join plans p on p.environment_id = s.environment_id and p.id = s.plan_id
where s.environment_id = @environment_id and s.id = any(@ids::text[]) and s.metered_since is not null
  and coalesce(s.usage_thresholds, p.metered -> 'thresholds', '[]') <> '[]'
order by s.id
on conflict (environment_id, subscription_id) do update set touched_at = excluded.touched_at;

-- name: UsageTouchedList :many
-- Of all environments, those that wait longest first.
select t.environment_id, t.subscription_id, t.touched_at
from usage_touched t
order by t.touched_at
limit @row_limit;

-- name: UsageTouchedDelete :exec
-- One of which no records were merged since.
delete from usage_touched t
where t.environment_id = @environment_id and t.subscription_id = @subscription_id and t.touched_at = @touched_at;

-- name: UsageTouchedLater :exec
-- One that could not be asked about waits behind all others.
update usage_touched t set touched_at = clock_timestamp()
where t.environment_id = @environment_id and t.subscription_id = @subscription_id;

-- name: UsageCrossingInsert :exec
insert into usage_crossings (environment_id, subscription_id, period_index, threshold, crossed_at, invoice_id)
values (@environment_id, @subscription_id, @period_index, @threshold, @crossed_at, sqlc.narg('invoice_id'));

-- name: UsageCrossingList :many
-- The thresholds that a period has reached.
select c.threshold
from usage_crossings c
where c.environment_id = @environment_id and c.subscription_id = @subscription_id and c.period_index = @period_index;
