-- Every list has an order that is safe to follow: a position, taken when the row is inserted, and a horizon behind which no
-- row appears any more. docs/adr/0014-list-positions.md has the argument and the price.

-- +goose Up
-- One sequence for all lists: a transaction announces itself once, whatever it inserts. 44 bits fit into the key of a lock.
create sequence list_position as bigint maxvalue 17592186044415 no cycle cache 1;

-- The last position that was given out.
-- +goose StatementBegin
create function last_position() returns bigint language sql volatile as $$
    select case when is_called then last_value else last_value - 1 end from list_position;
$$;
-- +goose StatementEnd

-- The upper 20 bits of the lock keys of one environment (of one tenant, for apps). Two that share them only wait for each
-- other.
-- +goose StatementBegin
create function list_lock_tag(scope text) returns bigint language sql immutable strict as $$
    select (80::bigint << 12) | (hashtext(scope)::bigint & 4095);
$$;
-- +goose StatementEnd

-- Before its first row a transaction takes a shared advisory lock whose key is the last position given out: all of its own
-- positions are higher. The lock ends with the transaction, after its rows became visible. The setting, local to the
-- transaction like the lock, spares the following rows a lock each.
-- +goose StatementBegin
create function next_position(scope text) returns bigint language plpgsql volatile as $$
begin
    if current_setting('perennial.list_scope', true) is distinct from scope then
        perform pg_advisory_xact_lock_shared((list_lock_tag(scope) << 44) | last_position());
        perform set_config('perennial.list_scope', scope, true);
    end if;
    return nextval('list_position');
end $$;
-- +goose StatementEnd

-- Every row of the scope up to the horizon is visible to the next statement, or will never be. The end is read before the
-- locks: a transaction that is not seen holding one has either ended, or takes only positions above that end. The locks of
-- the reader's own transaction do not count, because it sees its own rows.
-- +goose StatementBegin
create function list_horizon(scope text, out horizon bigint, out last bigint) language plpgsql volatile as $$
begin
    last := last_position();
    select least(last, min(((l.classid::bigint << 32) | l.objid::bigint) & 17592186044415)) into horizon
    from pg_locks l
    where l.locktype = 'advisory' and l.objsubid = 1 and l.granted and l.pid <> pg_backend_pid()
      and l.database = (select d.oid from pg_database d where d.datname = current_database())
      and l.classid::bigint >> 12 = list_lock_tag(scope);
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create function take_position() returns trigger language plpgsql as $$
begin
    new.position := next_position(new.environment_id);
    return new;
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create function take_position_of_tenant() returns trigger language plpgsql as $$
begin
    new.position := next_position(new.tenant_id);
    return new;
end $$;
-- +goose StatementEnd

-- Rows that exist are put into the order in which they were listed; events of one transaction into that of their sequence.
alter table apps add column position bigint;
update apps r set position = o.n from (select id, row_number() over (order by id) as n from apps) o where o.id = r.id;
alter table plans add column position bigint;
update plans r set position = o.n from (select id, row_number() over (order by id) as n from plans) o where o.id = r.id;
alter table test_clocks add column position bigint;
update test_clocks r set position = o.n from (select id, row_number() over (order by id) as n from test_clocks) o where o.id = r.id;
alter table customers add column position bigint;
update customers r set position = o.n from (select id, row_number() over (order by id) as n from customers) o where o.id = r.id;
alter table subscriptions add column position bigint;
update subscriptions r set position = o.n from (select id, row_number() over (order by id) as n from subscriptions) o where o.id = r.id;
alter table invoices add column position bigint;
update invoices r set position = o.n from (select id, row_number() over (order by id) as n from invoices) o where o.id = r.id;
alter table transactions add column position bigint;
update transactions r set position = o.n from (select id, row_number() over (order by id) as n from transactions) o where o.id = r.id;
alter table events add column position bigint;
update events r set position = o.n
from (select id, row_number() over (order by created_at, sequence nulls first, id) as n from events) o where o.id = r.id;

select setval('list_position', greatest(1,
    (select max(position) from apps), (select max(position) from plans), (select max(position) from test_clocks),
    (select max(position) from customers), (select max(position) from subscriptions), (select max(position) from invoices),
    (select max(position) from transactions), (select max(position) from events)));

alter table apps alter column position set not null;
alter table plans alter column position set not null;
alter table test_clocks alter column position set not null;
alter table customers alter column position set not null;
alter table subscriptions alter column position set not null;
alter table invoices alter column position set not null;
alter table transactions alter column position set not null;
alter table events alter column position set not null;

-- Triggers, so that a process of the previous version, which does not know positions, takes them too. A restore creates
-- triggers after the rows, so that these keep theirs.
create trigger apps_take_position before insert on apps for each row execute function take_position_of_tenant();
create trigger plans_take_position before insert on plans for each row execute function take_position();
create trigger test_clocks_take_position before insert on test_clocks for each row execute function take_position();
create trigger customers_take_position before insert on customers for each row execute function take_position();
create trigger subscriptions_take_position before insert on subscriptions for each row execute function take_position();
create trigger invoices_take_position before insert on invoices for each row execute function take_position();
create trigger transactions_take_position before insert on transactions for each row execute function take_position();
create trigger events_take_position before insert on events for each row execute function take_position();

create unique index apps_position on apps (tenant_id, position);
create unique index plans_position on plans (environment_id, position);
create unique index test_clocks_position on test_clocks (environment_id, position);
create unique index customers_position on customers (environment_id, position) where erased_at is null;
create unique index subscriptions_position on subscriptions (environment_id, position);
create unique index invoices_position on invoices (environment_id, position);
create unique index transactions_position on transactions (environment_id, position);
create unique index events_position on events (environment_id, position);

-- A cursor is the id of a row; a page begins at its position.
create view list_positions as
select tenant_id as scope, id, position from apps
union all select environment_id, id, position from plans
union all select environment_id, id, position from test_clocks
union all select environment_id, id, position from customers
union all select environment_id, id, position from subscriptions
union all select environment_id, id, position from invoices
union all select environment_id, id, position from transactions
union all select environment_id, id, position from events;
