-- Credit grants (ADR 48): credit beside the plain balance, which may expire. A build from before neither uses nor shows them.
--
-- Stepping back: it neither uses nor shows credit grants, nor ends them. Void what must not be left unused; the present build ends what has ended.

-- +goose Up
create table credit_grants (
    id             text        not null,
    environment_id text        not null references environments,
    position       bigint      not null,
    customer_id    text        not null,
    test_clock_id  text, -- the customer's; null: real time
    currency       char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    amount         bigint      not null check (amount > 0), -- minor units, as granted
    remaining      bigint      not null,
    priority       integer     not null check (priority between 0 and 100), -- lower first
    plan_ids       text[],     -- null: any invoice
    name           text        check (name <> ''), -- for people; erasable
    metadata       json        not null default '{}', -- erasable
    expires_at     timestamptz,
    expired_at     timestamptz, -- when what was left at its expiry was taken away
    voided_at      timestamptz,
    -- From when nothing uses it any more; null: never.
    ends_at        timestamptz generated always as (least(expires_at, voided_at)) stored,
    created_at     timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, test_clock_id) references test_clocks (environment_id, id),
    constraint credit_grants_remaining check (remaining between 0 and amount),
    constraint credit_grants_expires_at check (expires_at > created_at)
);
create trigger credit_grants_take_position before insert on credit_grants for each row execute function take_position();
create unique index credit_grants_position on credit_grants (environment_id, position);
create index credit_grants_list on credit_grants (environment_id, customer_id, position);
create index credit_grants_remaining on credit_grants (environment_id, customer_id, currency) where remaining > 0;
-- Grants whose rest must be taken away, by the customer's time.
create index credit_grants_due on credit_grants (ends_at) where test_clock_id is null and remaining > 0 and ends_at is not null;
create index credit_grants_due_on_clock on credit_grants (environment_id, test_clock_id, ends_at)
    where test_clock_id is not null and remaining > 0 and ends_at is not null;

-- +goose StatementBegin
create function guard_credit_grant() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' then
        raise exception 'rows of credit_grants are never deleted' using errcode = 'PB003';
    end if;
    if (new.environment_id, new.id, new.position, new.customer_id, new.test_clock_id, new.currency, new.amount, new.priority, new.plan_ids, new.expires_at, new.created_at)
        is distinct from (old.environment_id, old.id, old.position, old.customer_id, old.test_clock_id, old.currency, old.amount, old.priority, old.plan_ids, old.expires_at, old.created_at)
        or old.voided_at is not null and new.voided_at is distinct from old.voided_at then
        raise exception 'credit grant %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_credit_grant before update or delete on credit_grants for each row execute function guard_credit_grant();
create trigger credit_grants_no_truncate before truncate on credit_grants for each statement execute function refuse_change();

-- The rest of all grants. The balance stays the plain one: an earlier build, which does not know grants, uses the
-- balance and never a grant. It writes balance_after without grants.
alter table credit_balances add column granted bigint not null default 0;
alter table credit_balances add constraint credit_balances_granted check (granted >= 0) not valid;

alter table credit_entries
    add column grant_id text, -- null: the entry moves the plain balance
    add constraint credit_entries_grant foreign key (environment_id, grant_id) references credit_grants (environment_id, id) not valid,
    add constraint credit_entries_of_grant check (grant_id is not null or reason not in ('granted', 'expired', 'voided')) not valid,
    drop constraint credit_entries_invoice,
    add constraint credit_entries_invoice check (invoice_id is not null or reason in ('imported', 'adjusted', 'granted', 'expired', 'voided')) not valid;
-- The constraint's definition as it is, so that the order of migrations that add to it does not matter.
-- +goose StatementBegin
do $$
declare
    was text;
begin
    select pg_get_expr(conbin, conrelid) into strict was from pg_constraint
    where conrelid = 'credit_entries'::regclass and conname = 'credit_entries_reason';
    alter table credit_entries drop constraint credit_entries_reason;
    execute format('alter table credit_entries add constraint credit_entries_reason check (%s or reason in (''granted'', ''expired'', ''voided'')) not valid', was);
end $$;
-- +goose StatementEnd

-- The amounts of grants that an invoice has used, in their order: a void gives them back. Null: none.
alter table invoices add column grants_used jsonb;
create trigger guard_invoice_grants before update on invoices for each row when (new.grants_used is distinct from old.grants_used)
    execute function guard_invoice_taxes();

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from credit_grants';
end $$;
-- +goose StatementEnd
