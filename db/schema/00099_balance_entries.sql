-- The ledger of a customer's balance is listed, and people write entries of their own.

-- +goose Up
alter table credit_entries
    add column position bigint,
    -- A person's note on an entry; erasable.
    add column note text constraint credit_entries_note check (note <> ''),
    drop constraint credit_entries_invoice,
    add constraint credit_entries_invoice check (invoice_id is not null or reason in ('imported', 'adjusted')) not valid;

-- The constraint's definition as it is, so that the order of migrations that add to it does not matter.
-- +goose StatementBegin
do $$
declare
    was text;
begin
    select pg_get_expr(conbin, conrelid) into strict was from pg_constraint
    where conrelid = 'credit_entries'::regclass and conname = 'credit_entries_reason';
    alter table credit_entries drop constraint credit_entries_reason;
    execute format('alter table credit_entries add constraint credit_entries_reason check (%s or reason = ''adjusted'') not valid', was);
end $$;
-- +goose StatementEnd

-- A ledger is only ever appended to; only a note can be erased.
-- +goose StatementBegin
create function guard_credit_entry() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' or to_jsonb(new) - 'note' is distinct from to_jsonb(old) - 'note' or new.note is not null and new.note is distinct from old.note then
        raise exception 'rows of credit_entries are never changed or deleted' using errcode = 'PB003';
    end if;
    return new;
end $$;
-- +goose StatementEnd
drop trigger credit_entries_append_only on credit_entries;
-- Entries that exist are put into the order in which they were made. Positions are taken environment by environment, since
-- each change of it takes a lock.
update credit_entries e set position = o.position
from (select s.environment_id, s.id, next_position(s.environment_id) as position
      from (select environment_id, id from credit_entries order by environment_id, id) s) o
where o.environment_id = e.environment_id and o.id = e.id;
alter table credit_entries alter column position set not null;
create trigger credit_entries_append_only before update or delete on credit_entries for each row execute function guard_credit_entry();
create trigger credit_entries_take_position before insert on credit_entries for each row execute function take_position();
create unique index credit_entries_position on credit_entries (environment_id, position);
create index credit_entries_list on credit_entries (environment_id, customer_id, position);
drop index credit_entries_customer;
-- For erasures.
create index credit_entries_noted on credit_entries (environment_id, customer_id) where note is not null;

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from credit_entries';
end $$;
-- +goose StatementEnd
