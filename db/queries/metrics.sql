-- name: MetricInsert :exec
with written as (
    insert into metrics (
        id, environment_id, name, display_name, active, current, definition, created_at, version_at
    ) values (
        @id, @environment_id, @name, @display_name, @active, true, @definition, @created_at, @version_at
    )
    on conflict (environment_id, name) where current do nothing
    returning 1
)
select 1 / count(*) from written;

-- name: MetricRetire :exec
-- Runs before the next version is inserted.
update metrics set current = false
where environment_id = @environment_id and metric_id = @metric_id and current;

-- name: UsageProgressInsert :exec
-- Catching up: there are more records than a reader reads as a tail.
insert into usage_progress (environment_id, version_id, position, catching_up)
values (@environment_id, @version_id, 0, exists (
    select from usage_records r where r.environment_id = @environment_id and r.metric_id = @metric_id
    offset @tail::integer
));

-- name: MetricUpdate :exec
with written as (
    update metrics set display_name = @display_name, active = @active
    where environment_id = @environment_id and metric_id = @metric_id
    returning 1
)
select 1 / count(*) from written;

-- name: MetricLock :one
-- The first version, which always exists. A change of the metric waits for its lock.
select m.id from metrics m
where m.environment_id = @environment_id and m.metric_id = @metric_id and m.version = 1
for no key update;

-- name: MetricGetLocked :one
-- The newest version, in a statement after MetricLock: a statement that waited does not see the changes of the lock's
-- holder.
select sqlc.embed(m) from metrics m
where m.environment_id = @environment_id and m.metric_id = @metric_id and m.current;

-- name: MetricGetServed :one
-- The newest version that has caught up; the first one always has.
select sqlc.embed(m)
from metrics c
join metrics m on m.environment_id = c.environment_id and m.metric_id = c.metric_id
join usage_progress p on p.environment_id = m.environment_id and p.version_id = m.id and not p.catching_up
where c.environment_id = @environment_id and c.name = @name and c.current
order by m.version desc limit 1;

-- name: MetricListServed :many
-- The newest version that has caught up, of each metric that accepts records, the newest metrics first.
select sqlc.embed(m)
from metrics f
join metrics m on m.environment_id = f.environment_id and m.metric_id = f.metric_id
where f.environment_id = @environment_id and f.version = 1 and f.active and m.version = (
    select max(v.version) from metrics v
    join usage_progress p on p.environment_id = v.environment_id and p.version_id = v.id and not p.catching_up
    where v.environment_id = f.environment_id and v.metric_id = f.metric_id
)
order by f.position desc
limit @row_limit;

-- name: MetricGetVersion :one
select sqlc.embed(m) from metrics m where m.environment_id = @environment_id and m.id = @id;

-- name: MetricListVersions :many
-- Includes archived metrics.
select sqlc.embed(m) from metrics m where m.environment_id = @environment_id and m.id = any(@ids::text[]);

-- name: MetricVersionList :many
select sqlc.embed(m) from metrics m
where m.environment_id = @environment_id and m.metric_id = @metric_id
order by m.version desc;

-- name: MetricGetWithKey :one
select sqlc.embed(k), sqlc.embed(m)
from api_key_details k
join metrics m on m.environment_id = k.environment_id and m.metric_id = @id and m.current
where k.hash = @hash;

-- name: MetricList :many
-- The newest version, in the position of the first one.
select sqlc.embed(m)
from metrics f
join metrics m on m.environment_id = f.environment_id and m.metric_id = f.metric_id and m.current
where f.environment_id = @environment_id and f.version = 1
  and (sqlc.narg('active')::boolean is null or f.active = sqlc.narg('active'))
  and f.position < @below::bigint and f.position > @above::bigint
order by case when @forward::boolean then f.position end, f.position desc
limit @row_limit;
