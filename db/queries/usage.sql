-- name: UsageFloor :exec
-- Runs before UsageInsert, as a separate statement. The insert keeps one plan with indexes: planning takes longer than
-- writing a record, and a plan from the time of small tables would scan them.
select usage_floor(@environment_id), set_config('plan_cache_mode', 'force_generic_plan', true),
       set_config('enable_seqscan', 'off', true);

-- name: UsageInsert :many
-- Checks records by the conditions of usage.Admit, reserves the keys of accepted records, and writes the records whose
-- key was free. Keys are reserved in their order, so that two callers with the same keys cannot deadlock. Of records
-- with the same key, the first accepted one gets it. Positions are in the order of the records. The query returns what
-- the caller cannot compute: records that were not written, and times from a test clock. Reserved keys are looked up in
-- a hashed set. A join would compare each record with each, since a plan for all batches expects few rows.
with given as materialized (
    select generate_subscripts(@ids::text[], 1) as ordinal, unnest(@ids) as id, unnest(@keys::text[]) as key,
           unnest(@fingerprints::bytea[]) as fingerprint, unnest(@subscription_ids::text[]) as subscription_id,
           unnest(@metric_names::text[]) as metric_name, unnest(@quantities::text[])::numeric as quantity,
           unnest(@ats::timestamptz[]) as at, unnest(@properties::text[]) as properties, unnest(@corrects::text[]) as corrects
), subscribed as materialized ( -- each subscription of the batch once, and below each metric
    select s.id, c.erased_at, k.now_at, s.started, s.canceled_at, s.closed
    from (select distinct g.subscription_id from given g) d
    cross join lateral (
        select s.id, s.customer_id, s.test_clock_id, least(s.created_at, s.anchor_at, s.current_period_start) as started, s.canceled_at,
               coalesce(s.late_usage_until <= s.canceled_at, false) as closed
        from subscriptions s where s.environment_id = @environment_id and s.id = d.subscription_id limit 1
    ) s
    left join lateral (
        select c.erased_at from customers c where c.environment_id = @environment_id and c.id = s.customer_id limit 1
    ) c on true
    left join lateral (
        select k.now_at from test_clocks k where k.environment_id = @environment_id and k.id = s.test_clock_id limit 1
    ) k on true
), named as materialized (
    select m.name, m.metric_id, m.active, m.carries, m.property, m.key_property
    from (select distinct g.metric_name from given g) d
    cross join lateral (
        select m.name, m.metric_id, m.active, m.carries, m.property, m.key_property
        from metrics m where m.environment_id = @environment_id and m.name = d.metric_name and m.current limit 1
    ) m
), judged as materialized (
    select g.ordinal, g.id, g.key, g.fingerprint, g.subscription_id, g.quantity, nullif(g.properties, '')::jsonb as properties, g.corrects,
           s.id is null or s.erased_at is not null as subscription_absent, m.name is null as metric_absent,
           s.now_at is not null as clocked, coalesce(s.now_at, @now::timestamptz) as now, coalesce(nullif(g.at, '0001-01-01 00:00:00+00'::timestamptz), s.now_at, @now::timestamptz) as at,
           s.started, s.canceled_at as ended, coalesce(s.closed, false) as closed,
           m.metric_id, coalesce(m.active, false) as active, coalesce(m.carries, false) as carries, m.property, m.key_property
    from given g
    left join subscribed s on s.id = g.subscription_id
    left join named m on m.name = g.metric_name
), admitted as (
    select j.*
    from judged j
    where not j.subscription_absent and not j.metric_absent and (j.active or j.corrects <> '')
      and j.at >= j.now - make_interval(secs => @max_age_seconds::bigint)
      and j.at <= j.now + make_interval(secs => @max_ahead_seconds::bigint)
      and j.at >= j.started and (j.ended is null or j.at < j.ended) and not j.closed
      and (j.property is null or coalesce(j.properties ->> j.property, '') <> '')
      and (j.key_property is null or coalesce(j.properties ->> j.key_property, '') <> '')
      and (j.corrects <> '' or case
          when j.property is null then j.quantity >= 0 or j.carries
          when j.properties ->> j.property !~ '^-?[0-9]{1,12}(\.[0-9]{1,12})?$' then false
          else (j.properties ->> j.property)::numeric >= 0 or j.carries
      end)
), taken as (
    insert into usage_keys (environment_id, key, at, fingerprint, record_id)
    select distinct on (a.key collate "C") @environment_id, a.key, a.at, a.fingerprint, a.id
    from admitted a
    order by a.key collate "C", a.ordinal
    on conflict do nothing
    returning record_id
), written as (
    insert into usage_records (environment_id, subscription_id, metric_id, at, id, quantity, properties, corrects)
    select @environment_id, a.subscription_id, a.metric_id, a.at, a.id, a.quantity, a.properties, nullif(a.corrects, '')
    from admitted a
    where (a.id in (select t.record_id from taken t)) is true
    order by a.ordinal
)
select j.ordinal::integer as ordinal, j.subscription_absent::boolean as subscription_absent, j.metric_absent::boolean as metric_absent,
       j.now::timestamptz as now, j.at::timestamptz as at,
       coalesce(j.started, '0001-01-01 00:00:00+00')::timestamptz as started, j.ended, j.closed::boolean as closed, j.active::boolean as active,
       j.carries::boolean as carries, j.property, j.key_property, j.taken::boolean as taken
from (select w.*, w.id in (select t.record_id from taken t) as taken from judged w) j
where not j.taken or j.clocked;

-- name: UsageKeyList :many
select k.key, k.at, k.fingerprint, k.record_id
from usage_keys k
where k.environment_id = @environment_id and k.key = any(@keys::text[]);

-- name: UsageRecordLock :one
-- The record of a key.
select r.id, r.subscription_id, r.metric_id, m.name as metric_name, m.definition, r.at, r.quantity::text as quantity, r.properties,
       r.corrects
from usage_keys k
join subscriptions s on s.environment_id = @environment_id and s.id = @subscription_id
join metrics m on m.environment_id = @environment_id and m.name = @metric_name and m.current
join usage_records r on r.environment_id = @environment_id and r.subscription_id = s.id and r.metric_id = m.metric_id
    and r.at = k.at and r.id = k.record_id
where k.environment_id = @environment_id and k.key = @key
for no key update of r;

-- name: UsageRecordCorrected :one
-- The sum of a locked record's corrections. It is a separate statement, since the one that waited for the lock does not
-- see the correction that held it.
select coalesce(sum(c.quantity), 0)::text as corrected
from usage_records c
where c.environment_id = @environment_id and c.subscription_id = @subscription_id and c.metric_id = @metric_id
  and c.at = @at and c.corrects = @record_id::text;

-- name: UsageAggregateList :many
-- The first aggregates from an hour on, and their position: one statement, so that both are from one moment. Without
-- aggregates it returns one row without a state.
select p.position, coalesce(a.bucket, '0001-01-01 00:00:00+00')::timestamptz as bucket,
       coalesce(a.dimension, '')::text as dimension, a.state
from usage_progress p
left join lateral (
    select a.bucket, a.dimension, a.state
    from usage_aggregates a
    where a.environment_id = @environment_id and a.subscription_id = @subscription_id and a.version_id = @version_id
      and a.bucket >= @from_hour and a.bucket < @to_time
    order by a.bucket, a.dimension
    limit @row_limit
) a on true
where p.environment_id = @environment_id and p.version_id = @version_id
order by a.bucket, a.dimension;

-- name: UsageAggregateSums :many
-- UsageAggregateList with the dimensions of an hour added up, for aggregations whose states add up: an hour may have
-- thousands of dimensions. One invalid state makes the sum of its hour invalid.
select p.position, coalesce(a.bucket, '0001-01-01 00:00:00+00')::timestamptz as bucket, a.state
from usage_progress p
left join lateral (
    select a.bucket, (case when bool_and(a.state ? 'n') then jsonb_build_object(
               'n', sum((a.state ->> 'n')::bigint), 'sum', sum(nullif(a.state ->> 'sum', '')::numeric)::text)
           else '[]' end)::jsonb as state
    from usage_aggregates a
    where a.environment_id = @environment_id and a.subscription_id = @subscription_id and a.version_id = @version_id
      and a.bucket >= @from_hour and a.bucket < @to_time
    group by a.bucket
    order by a.bucket
    limit @row_limit
) a on true
where p.environment_id = @environment_id and p.version_id = @version_id
order by a.bucket;

-- name: UsageTailList :many
-- A subscription's records that are not aggregated yet. It reads all of the metric's by position, for which there is an
-- index: the tail is short, while a subscription may have many records in a period. If the tail is long, or has no
-- record of the subscription, it returns one row without a record.
with tail as materialized (
    select r.id, r.corrects, r.at, r.quantity, r.properties, r.subscription_id, r.position
    from usage_records r
    where r.environment_id = @environment_id and r.metric_id = @metric_id and r.position > @position
    limit @row_limit
), size as (
    select count(*) = @row_limit::bigint as long from tail
)
select z.long::boolean as long, t.id, t.corrects, t.at, coalesce(t.quantity, 0)::text as quantity, t.properties, t.position
from size z
left join tail t on not z.long and t.subscription_id = @subscription_id::text and t.at >= @from_time::timestamptz
    and t.at < @to_time::timestamptz;

-- name: UsageTailOf :many
-- The first records of a long tail, searched among all of the subscription's records of the time.
select r.id, r.corrects, r.at, r.quantity::text as quantity, r.properties, r.position
from usage_records r
where r.environment_id = @environment_id and r.subscription_id = @subscription_id and r.metric_id = @metric_id
  and r.at >= @from_time and r.at < @to_time and r.position > @position
order by r.at
limit @row_limit;

-- name: UsageHourList :many
-- All records of some hours and subscriptions, up to a position. Each hour is read separately and in the order of time,
-- which only the index of periods has: for a join, a plan may read all records of the metric, of which it expects few.
select r.id, r.corrects, r.at, r.quantity::text as quantity, r.properties, r.subscription_id, r.position
from (select unnest(@subscription_ids::text[]) as subscription_id, unnest(@hours::timestamptz[]) as hour) h
cross join lateral (
    select r.id, r.corrects, r.at, r.quantity, r.properties, r.subscription_id, r.position
    from usage_records r
    where r.environment_id = @environment_id and r.subscription_id = h.subscription_id
      and r.metric_id = @metric_id and r.at >= h.hour and r.at < h.hour + interval '1 hour' and r.position <= @position
    order by r.at
) r;

-- name: UsageProgressLock :one
-- Locks a version, so that one process at a time aggregates it.
select p.position, p.catching_up, sqlc.embed(m)
from usage_progress p
join metrics m on m.environment_id = p.environment_id and m.id = p.version_id
where p.environment_id = @environment_id and p.version_id = @version_id
for update of p skip locked;

-- name: UsageProgressWait :one
select p.position, sqlc.embed(m)
from usage_progress p
join metrics m on m.environment_id = p.environment_id and m.id = p.version_id
where p.environment_id = @environment_id and p.version_id = @version_id
for update of p;

-- name: UsageHorizon :one
-- Runs before the records are read, as a separate statement.
select usage_horizon(@environment_id)::bigint as horizon;

-- name: UsageFence :one
-- A position above those of all present locks of usage writers.
select nextval('usage_position')::bigint as fence;

-- name: UsageTailPage :many
select r.id, r.corrects, r.at, r.quantity::text as quantity, r.properties, r.subscription_id, r.position
from usage_records r
where r.environment_id = @environment_id and r.metric_id = @metric_id and r.position > @after_position
  and r.position <= @horizon
order by r.position
limit @row_limit;

-- name: UsageAggregateGet :many
-- Looks each one up by its key. For a join, a plan that expects few rows would compare each with each.
select a.subscription_id, a.bucket, a.dimension, a.first_position, a.state
from (select unnest(@subscription_ids::text[]) as subscription_id, unnest(@hours::timestamptz[]) as hour,
             unnest(@dimensions::text[]) as dimension) h
cross join lateral (
    select a.subscription_id, a.bucket, a.dimension, a.first_position, a.state
    from usage_aggregates a
    where a.environment_id = @environment_id and a.subscription_id = h.subscription_id and a.version_id = @version_id
      and a.bucket = h.hour and a.dimension = h.dimension
    limit 1
) a;

-- name: UsageAggregateDelete :exec
delete from usage_aggregates a
using (select unnest(@subscription_ids::text[]) as subscription_id, unnest(@hours::timestamptz[]) as hour) h
where a.environment_id = @environment_id and a.subscription_id = h.subscription_id and a.version_id = @version_id
  and a.bucket = h.hour;

-- name: UsageAggregateSave :exec
insert into usage_aggregates (environment_id, subscription_id, version_id, bucket, dimension, first_position, state)
select @environment_id, g.subscription_id, @version_id, g.hour, g.dimension, g.first_position, g.state::jsonb
from (select unnest(@subscription_ids::text[]) as subscription_id, unnest(@hours::timestamptz[]) as hour,
             unnest(@dimensions::text[]) as dimension, unnest(@first_positions::bigint[]) as first_position,
             unnest(@states::text[]) as state) g
on conflict (environment_id, subscription_id, version_id, bucket, dimension) do update
set state = excluded.state, first_position = least(usage_aggregates.first_position, excluded.first_position);

-- name: UsageProgressSave :exec
update usage_progress set position = @position, catching_up = catching_up and @more::boolean
where environment_id = @environment_id and version_id = @version_id;

-- name: UsageBehind :many
-- Versions with records that are not aggregated yet. Global: every aggregating process.
select p.environment_id, p.version_id
from usage_progress p
join metrics m on m.environment_id = p.environment_id and m.id = p.version_id
where p.catching_up or exists (
    select 1 from usage_records r
    where r.environment_id = p.environment_id and r.metric_id = m.metric_id and r.position > p.position
)
order by random() -- processes begin with different ones
limit @row_limit;

-- name: UsageVersionsNamed :many
-- The versions of the metrics with these names.
select m.id
from metrics c
join metrics m on m.environment_id = c.environment_id and m.metric_id = c.metric_id
where c.environment_id = @environment_id and c.name = any(@names::text[]) and c.current;

-- name: UsageMonthReady :one
-- Global: whether the partition exists for the month that is this many months ahead.
select (to_regclass('usage_records_'
    || to_char((now() at time zone 'UTC') + make_interval(months => @months::integer), 'YYYY_MM')) is not null)::boolean as ready;

-- name: UsageMaintain :one
-- Global: partitions of all environments.
select maintain_usage_partitions(@ahead::integer, make_interval(days => @keep_days::integer))::integer as dropped;

-- name: UsageEraseBehind :many
-- The metric versions that have not merged all records of a customer.
with last as materialized (
    select r.metric_id, max(r.position) as position
    from subscriptions s
    join usage_records r on r.environment_id = @environment_id and r.subscription_id = s.id
    where s.environment_id = @environment_id and s.customer_id = @customer_id
    group by r.metric_id
)
select p.version_id
from last l
join metrics m on m.environment_id = @environment_id and m.metric_id = l.metric_id
join usage_progress p on p.environment_id = @environment_id and p.version_id = m.id and p.position < l.position
order by p.version_id;

-- name: UsageEraseSubscription :one
-- The next subscription of a customer, starting at an id.
select coalesce(min(s.id), '')::text as id
from subscriptions s
where s.environment_id = @environment_id and s.customer_id = @customer_id and s.id >= @from_id;

-- name: UsageErase :one
-- Erases the properties of the next records of a subscription, in the order of the index. The last of them is the
-- progress.
with batch as materialized (
    select r.metric_id, r.at, r.id
    from usage_records r
    where r.environment_id = @environment_id and r.subscription_id = @subscription_id
      and (r.metric_id, r.at, r.id) > (@after_metric::text, @after_at::timestamptz, @after_id::text)
    order by r.metric_id, r.at, r.id
    limit @row_limit
), written as (
    update usage_records r set properties = null
    from batch b
    where r.environment_id = @environment_id and r.subscription_id = @subscription_id and r.metric_id = b.metric_id
      and r.at = b.at and r.id = b.id and r.properties is not null
)
select b.metric_id, b.at, b.id, (select count(*) from batch)::integer as handled
from batch b
order by b.metric_id desc, b.at desc, b.id desc
limit 1;

-- name: UsageEraseSalt :exec
update customers set usage_salt = null where environment_id = @environment_id and id = @customer_id;

-- name: UsageSaltList :many
-- The salts for hashing keys of subscriptions; null: none.
select s.id, c.usage_salt
from subscriptions s
join customers c on c.environment_id = s.environment_id and c.id = s.customer_id
where s.environment_id = @environment_id and s.id = any(@subscription_ids::text[]);

-- name: UsageVersionList :many
-- Global: rebuilding; all metric versions of one environment, or of all environments.
select m.environment_id, m.id
from metrics m
where sqlc.narg('environment_id')::text is null or m.environment_id = sqlc.narg('environment_id')
order by m.environment_id, m.id;

-- name: UsageSubscriptionList :many
-- Subscriptions with records or aggregates of a metric version, without those of erased customers: erased properties
-- cannot be counted again.
select s.id
from subscriptions s
join customers c on c.environment_id = s.environment_id and c.id = s.customer_id and c.erased_at is null
where s.environment_id = @environment_id and s.id > @after_id
  and (exists (select 1 from usage_aggregates a
               where a.environment_id = s.environment_id and a.subscription_id = s.id and a.version_id = @version_id)
       or exists (select 1 from usage_records r
                  where r.environment_id = s.environment_id and r.subscription_id = s.id and r.metric_id = @metric_id))
order by s.id
limit @row_limit;

-- name: UsageOldestPosition :one
-- The oldest position of a metric's kept records.
select coalesce((
    select min(r.position) from usage_records r where r.environment_id = @environment_id and r.metric_id = @metric_id
), 9223372036854775807)::bigint as position;

-- name: UsageRecordPage :many
-- Records of a subscription in the order of time.
select r.id, r.corrects, r.at, r.quantity::text as quantity, r.properties, r.position
from usage_records r
where r.environment_id = @environment_id and r.subscription_id = @subscription_id and r.metric_id = @metric_id
  and (r.at, r.id) > (@after_at::timestamptz, @after_id::text) and r.position <= @position
order by r.at, r.id
limit @row_limit;

-- name: UsageRecordList :many
-- Records of a subscription from a time on and before another, in the order of time.
select r.id, r.corrects, r.at, r.quantity::text as quantity, r.properties
from usage_records r
where r.environment_id = @environment_id and r.subscription_id = @subscription_id and r.metric_id = @metric_id
  and r.at >= @from_time and r.at < @to_time
order by r.at, r.id
limit @row_limit;

-- name: UsageAggregateOf :many
select a.bucket, a.dimension, a.first_position, a.state
from usage_aggregates a
where a.environment_id = @environment_id and a.subscription_id = @subscription_id and a.version_id = @version_id;
