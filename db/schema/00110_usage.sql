-- Usage (ADR 52, ADR 54): metrics in versions, records with their keys, and running aggregates.

-- +goose Up
-- One row per version. The definition of a version never changes.
create table metrics (
    id             text        not null, -- of the version: the metric's, with its number after a dot for all but the first
    environment_id text        not null references environments,
    position       bigint      not null,
    metric_id      text        not null generated always as (split_part(id, '.', 1)) stored,
    version        integer     not null generated always as (coalesce(nullif(split_part(id, '.', 2), ''), '1')::integer) stored,
    name           text        not null check (name ~ '^[A-Za-z][A-Za-z0-9_.:/-]{0,99}$'),
    display_name   text        not null,
    active         boolean     not null,
    current        boolean     not null, -- the newest version
    definition     jsonb       not null,
    -- The properties that the insert checks, without reading the definition.
    property       text        generated always as (definition ->> 'property') stored,
    key_property   text        generated always as (definition ->> 'keyProperty') stored,
    carries        boolean     not null generated always as (
        coalesce((definition ->> 'carriesOver')::boolean, false) or definition ->> 'aggregation' = 'weighted_sum') stored,
    created_at     timestamptz not null,
    version_at     timestamptz not null,
    primary key (environment_id, id)
);
create trigger metrics_take_position before insert on metrics for each row execute function take_position();
create unique index metrics_position on metrics (environment_id, position);
create unique index metrics_version on metrics (environment_id, metric_id, version);
create unique index metrics_name on metrics (environment_id, name) where current;
create index metrics_listed on metrics (environment_id, active, position) where version = 1;

-- +goose StatementBegin
create function guard_metric() returns trigger language plpgsql as $$
begin
    if (new.environment_id, new.id, new.name, new.definition, new.created_at, new.version_at)
        is distinct from (old.environment_id, old.id, old.name, old.definition, old.created_at, old.version_at) then
        raise exception 'metric %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_metric before update on metrics for each row execute function guard_metric();

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from metrics';
end $$;
-- +goose StatementEnd

-- The keys of all records ever, also of those that retention has deleted: a unique index of a table that is partitioned
-- by time could not hold them. Keys are stored as callers sent them, in byte order, so that keys that grow with time
-- are close together in the index. The table is divided so that no index becomes too large to rebuild.
create table usage_keys (
    environment_id text        not null,
    key            text        not null collate "C",
    at             timestamptz not null,
    fingerprint    bytea       not null check (length(fingerprint) = 16),
    record_id      text        not null,
    primary key (environment_id, key)
) partition by hash (key);
-- +goose StatementBegin
do $$
begin
    for i in 0..15 loop
        execute format('create table usage_keys_%s partition of usage_keys for values with (modulus 16, remainder %s)', i, i);
    end loop;
end $$;
-- +goose StatementEnd

-- Divided by the time of receipt, in real time: all inserts go to one partition, for any age and any test clock, and
-- retention drops whole partitions. It has no foreign keys, since each record would lock its subscription's row; the
-- insert reads the subscription.
create sequence usage_position as bigint maxvalue 17592186044415 no cycle cache 1;
create table usage_records (
    position        bigint      not null default nextval('usage_position'),
    at              timestamptz not null,
    received_at     timestamptz not null default now(),
    environment_id  text        not null,
    subscription_id text        not null,
    metric_id       text        not null, -- not of a version: all versions count all records
    id              text        not null,
    quantity        numeric     not null,
    properties      jsonb, -- null: none, or erased
    corrects        text   -- the id of another record of this subscription, metric and time
) partition by range (received_at);
-- For periods, edges of periods and corrections.
create index usage_records_period on usage_records (environment_id, subscription_id, metric_id, at);
-- For records that are not aggregated yet.
create index usage_records_tail on usage_records (environment_id, metric_id, position);

-- Creates the missing partitions of this month and the next ones, and drops those whose rows are all older than keep.
-- Attaching a partition blocks no insert.
-- +goose StatementBegin
-- It runs as the owner of the tables, since programs may not create or drop any.
create function maintain_usage_partitions(ahead integer, keep interval) returns integer language plpgsql
    security definer set search_path = public as $$
declare
    first date := date_trunc('month', now() at time zone 'UTC');
    month date;
    name text;
    dropped integer := 0;
begin
    if not pg_try_advisory_xact_lock(hashtext('maintain_usage_partitions')) then
        return 0; -- another process does it
    end if;
    for i in 0..ahead loop
        month := first + make_interval(months => i);
        name := 'usage_records_' || to_char(month, 'YYYY_MM');
        if to_regclass(name) is null then
            execute format('create table %I (like usage_records including defaults including indexes)', name);
            execute format('alter table usage_records attach partition %I for values from (%L) to (%L)', name,
                month::text || ' 00:00:00+00', (month + interval '1 month')::date::text || ' 00:00:00+00');
        end if;
    end loop;
    for name in
        select c.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid
        where h.inhparent = 'usage_records'::regclass
          and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= (now() - keep) at time zone 'UTC'
    loop
        -- It waits for whoever reads usage, and everybody would wait behind it: another pass finds a better moment.
        begin
            perform set_config('lock_timeout', '1s', true);
            execute format('drop table %I', name);
            dropped := dropped + 1;
        exception when lock_not_available then
            exit;
        end;
    end loop;
    perform set_config('lock_timeout', '0', true);
    return dropped;
end $$;
-- +goose StatementEnd
select maintain_usage_partitions(6, interval '400 days');

-- Readers can follow positions of records like list positions (ADR 14), with a separate sequence and separate locks.
-- +goose StatementBegin
create function usage_lock_tag(scope text) returns bigint language sql immutable strict as $$
    select (81::bigint << 12) | (hashtext(scope)::bigint & 4095);
$$;
-- +goose StatementEnd
-- +goose StatementBegin
create function last_usage_position() returns bigint language sql volatile as $$
    select case when is_called then last_value else last_value - 1 end from usage_position;
$$;
-- +goose StatementEnd
-- A writer calls it in a statement before its insert: all of its positions are above the position in its lock.
-- +goose StatementBegin
create function usage_floor(scope text) returns void language plpgsql volatile as $$
begin
    perform pg_advisory_xact_lock_shared((usage_lock_tag(scope) << 44) | last_usage_position());
end $$;
-- +goose StatementEnd
-- Every record of the scope up to it is visible to the next statement, or never will be.
-- +goose StatementBegin
create function usage_horizon(scope text) returns bigint language plpgsql volatile as $$
declare
    last bigint := last_usage_position(); -- before the locks are read
    horizon bigint;
begin
    select least(last, min(((l.classid::bigint << 32) | l.objid::bigint) & 17592186044415)) into horizon
    from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.pid <> pg_backend_pid()
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid::bigint >> 12 = usage_lock_tag(scope);
    return horizon;
end $$;
-- +goose StatementEnd

-- The position up to which the aggregates of a metric version have its records.
create table usage_progress (
    environment_id text   not null,
    version_id     text   not null,
    position       bigint not null,
    primary key (environment_id, version_id)
);

-- The aggregates of an hour's records, by metric version and dimension.
create table usage_aggregates (
    bucket          timestamptz not null, -- the hour, in UTC
    first_position  bigint      not null, -- of the records in it
    environment_id  text        not null,
    subscription_id text        not null,
    version_id      text        not null,
    dimension       text        not null collate "C", -- the values of the group-by properties, as a JSON list; empty: none
    state           jsonb       not null,
    primary key (environment_id, subscription_id, version_id, bucket, dimension)
);
