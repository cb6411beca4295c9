-- Records are accepted also without a partition for their month: they go to a default partition, and from there to the
-- partition of their month when it is created (ADR 52).

-- +goose Up
create table usage_records_default partition of usage_records default;

-- Attaching a partition locks the default one against readers and writers, so that no rows enter it meanwhile. The lock
-- waits for readers of usage, and all others would wait for it, as for a drop. If it takes longer than a second, a
-- later pass retries.
-- +goose StatementBegin
create or replace function maintain_usage_partitions(ahead integer, keep interval) returns integer language plpgsql
    security definer set search_path = public set lock_timeout = '1s' as $$
declare
    first timestamptz := date_trunc('month', now(), 'UTC');
    start timestamptz;
    ends timestamptz;
    name text;
    made integer := 0;
    dropped integer := 0;
begin
    if not pg_try_advisory_xact_lock(hashtext('maintain_usage_partitions')) then
        return 0; -- another process does it
    end if;
    begin
        for i in 0..ahead loop
            start := ((first at time zone 'UTC') + make_interval(months => i)) at time zone 'UTC';
            ends := ((first at time zone 'UTC') + make_interval(months => i + 1)) at time zone 'UTC';
            name := 'usage_records_' || to_char(start at time zone 'UTC', 'YYYY_MM');
            if to_regclass(name) is null then
                -- In the order in which attaching locks them.
                lock table only usage_records in share update exclusive mode;
                lock table usage_records_default in access exclusive mode;
                execute format('create table %I (like usage_records including defaults including indexes)', name);
                execute format('with moved as (
                    delete from usage_records_default where received_at >= %L and received_at < %L returning *
                ) insert into %I select * from moved', start, ends, name);
                execute format('alter table usage_records attach partition %I for values from (%L) to (%L)', name, start, ends);
                made := made + 1;
            end if;
        end loop;
    exception when lock_not_available then
        made := 0;
    end;
    if made > 0 then
        return 0; -- dropping locks more: not while these locks are held
    end if;
    begin
        delete from usage_records_default where received_at < now() - keep;
    exception when lock_not_available then
        null;
    end;
    for name in
        select c.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid
        where h.inhparent = 'usage_records'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
          and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= (now() - keep) at time zone 'UTC'
    loop
        begin
            execute format('drop table %I', name);
            dropped := dropped + 1;
        exception when lock_not_available then
            exit;
        end;
    end loop;
    return dropped;
end $$;
-- +goose StatementEnd
