-- Records are taken even where no partition was made for their month: they go to a default partition, and from there into
-- the partition of their month once it is made (ADR 52).

-- +goose Up
create table usage_records_default partition of usage_records default;

-- +goose StatementBegin
create or replace function maintain_usage_partitions(ahead integer, keep interval) returns integer language plpgsql
    security definer set search_path = public as $$
declare
    first timestamptz := date_trunc('month', now(), 'UTC');
    start timestamptz;
    ends timestamptz;
    name text;
    dropped integer := 0;
begin
    if not pg_try_advisory_xact_lock(hashtext('maintain_usage_partitions')) then
        return 0; -- another process does it
    end if;
    for i in 0..ahead loop
        start := ((first at time zone 'UTC') + make_interval(months => i)) at time zone 'UTC';
        ends := ((first at time zone 'UTC') + make_interval(months => i + 1)) at time zone 'UTC';
        name := 'usage_records_' || to_char(start at time zone 'UTC', 'YYYY_MM');
        if to_regclass(name) is null then
            execute format('create table %I (like usage_records including defaults including indexes)', name);
            if exists (select from usage_records_default where received_at >= start and received_at < ends) then
                lock table usage_records_default in access exclusive mode; -- nothing more comes meanwhile
                execute format('with moved as (
                    delete from usage_records_default where received_at >= %L and received_at < %L returning *
                ) insert into %I select * from moved', start, ends, name);
            end if;
            execute format('alter table usage_records attach partition %I for values from (%L) to (%L)', name, start, ends);
        end if;
    end loop;
    delete from usage_records_default where received_at < now() - keep;
    for name in
        select c.relname from pg_inherits h join pg_class c on c.oid = h.inhrelid
        where h.inhparent = 'usage_records'::regclass and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
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
