-- name: UsageTouch :exec
-- Marks those of some subscriptions that have thresholds and counting usage, or features with a metric.
insert into usage_touched (environment_id, subscription_id, touched_at, due_at)
select s.environment_id, s.id, clock_timestamp(), clock_timestamp()
from subscriptions s
join plans p on p.environment_id = s.environment_id and p.id = s.plan_id
where s.environment_id = @environment_id and s.id = any(@ids::text[])
  and (s.metered_since is not null and coalesce(s.usage_thresholds, p.metered -> 'thresholds', '[]') <> '[]'
      or exists (
          select from plans v
          join plans f on f.environment_id = v.environment_id and f.id = v.plan_id
          where v.environment_id = s.environment_id and v.id = any(s.add_on_ids || s.plan_id)
            and jsonb_path_exists(f.features, '$[*].metricName')))
order by s.id
on conflict (environment_id, subscription_id) do update set touched_at = excluded.touched_at; -- its turn stays

-- name: UsageTouchedClaim :many
-- The due marks of all environments, the oldest first. They are reserved for this process for some seconds.
update usage_touched t set due_at = clock_timestamp() + make_interval(secs => @seconds::float8)
from (
    select d.environment_id, d.subscription_id
    from usage_touched d
    where d.due_at <= clock_timestamp()
    order by d.due_at
    limit @row_limit
    for update skip locked) due
where t.environment_id = due.environment_id and t.subscription_id = due.subscription_id
returning t.environment_id, t.subscription_id, t.touched_at;

-- name: UsageTouchedDelete :exec
-- Deletes a mark if no records were merged since.
delete from usage_touched t
where t.environment_id = @environment_id and t.subscription_id = @subscription_id and t.touched_at = @touched_at;

-- name: UsageTouchedLater :exec
update usage_touched t set due_at = clock_timestamp() + make_interval(secs => @seconds::float8)
where t.environment_id = @environment_id and t.subscription_id = @subscription_id;

-- name: UsageCrossingInsert :exec
insert into usage_crossings (environment_id, subscription_id, period_index, threshold, crossed_at, invoice_id)
values (@environment_id, @subscription_id, @period_index, @threshold, @crossed_at, sqlc.narg('invoice_id'));

-- name: UsageCrossingList :many
-- The thresholds that a period has reached.
select c.threshold
from usage_crossings c
where c.environment_id = @environment_id and c.subscription_id = @subscription_id and c.period_index = @period_index;
