-- Invoices that bill a customer without a subscription (ADR 47): drafts, which have no number yet, and payment terms.

-- +goose Up
-- Builds from before read invoices of subscriptions only, but in lists.
-- No row breaks the constraints that are added, so that none need be read.
alter table invoices
    alter column subscription_id drop not null,
    alter column number drop not null,
    alter column issued_at drop not null,
    drop constraint invoices_status,
    add constraint invoices_status check (status in ('draft', 'open', 'paid', 'void', 'uncollectible')) not valid,
    drop constraint invoices_reason_check,
    add constraint invoices_reason_check check (reason in (
        'subscription_create', 'subscription_cycle', 'subscription_update', 'subscription_recovery', 'manual')) not valid,
    add column collection_method text constraint invoices_collection_method check (collection_method in ('charge_automatically', 'send_invoice')), -- null: charged
    add column net_days integer not null default 0 constraint invoices_net_days check (net_days between 0 and 365),
    add column due_at timestamptz,     -- null: charged automatically, or a draft
    add column overdue_at timestamptz, -- when it was announced as overdue
    add column test_clock_id text,     -- of a manual invoice: its customer's
    add constraint invoices_manual check ((subscription_id is null) = (reason = 'manual')) not valid,
    add constraint invoices_numbered check (num_nonnulls(number, issued_at) = case status when 'draft' then 0 else 2 end) not valid,
    add constraint invoices_draft check (status <> 'draft' or subscription_id is null) not valid,
    add constraint invoices_test_clock foreign key (environment_id, test_clock_id) references test_clocks (environment_id, id) not valid;
alter table invoice_lines alter column plan_id drop not null;
-- Charges of manual invoices belong to no subscription. The constraint has no name: it is found by its text.
-- +goose StatementBegin
do $$
declare
    found text;
begin
    select conname into strict found from pg_constraint
    where conrelid = 'transactions'::regclass and contype = 'c'
      and pg_get_constraintdef(oid) like '%invoice_id IS NULL%subscription_id IS NOT NULL%';
    execute format('alter table transactions drop constraint %I', found);
end $$;
-- +goose StatementEnd

-- Invoices to be announced as overdue: manual invoices have no workflow. By its clock where there is one.
create index invoices_due on invoices (due_at)
    where subscription_id is null and test_clock_id is null and status = 'open' and overdue_at is null and due_at is not null;
create index invoices_due_on_clock on invoices (environment_id, test_clock_id, due_at)
    where subscription_id is null and test_clock_id is not null and status = 'open' and overdue_at is null and due_at is not null;

-- A draft may change until it is finalized. Its customer and currency do not, and no invoice becomes a draft again.
-- +goose StatementBegin
create or replace function guard_invoice() returns trigger language plpgsql as $$
begin
    if (new.environment_id, new.id, new.customer_id, new.subscription_id, new.reason, new.currency, new.test_clock_id, new.created_at)
        is distinct from (old.environment_id, old.id, old.customer_id, old.subscription_id, old.reason, old.currency, old.test_clock_id, old.created_at) then
        raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    if old.status = 'draft' then
        if new.status not in ('draft', 'open', 'paid') then
            raise exception 'invoice % is a draft and cannot become %', old.id, new.status using errcode = 'PB005';
        end if;
        return new;
    end if;
    if new.status <> old.status and (old.status <> 'open' or new.status = 'draft') and not (old.status = 'uncollectible' and new.status = 'paid') then
        raise exception 'invoice % is % and cannot become %', old.id, old.status, new.status using errcode = 'PB005';
    end if;
    if (new.number, new.total, new.brought_forward, new.period_start, new.period_end, new.collection_method, new.net_days, new.due_at)
        is distinct from (old.number, old.total, old.brought_forward, old.period_start, old.period_end, old.collection_method, old.net_days, old.due_at)
        or new.carried_forward < old.carried_forward or new.carried_forward > old.carried_forward and new.credited = old.credited
        or (new.credited, new.credited_tax, new.credited_due, new.credited_refund) < (old.credited, old.credited_tax, old.credited_due, old.credited_refund) then
        raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function guard_invoice_taxes() returns trigger language plpgsql as $$
begin
    if old.status = 'draft' then
        return new;
    end if;
    raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
end $$;
-- +goose StatementEnd

-- Only drafts are deleted, and only their lines are replaced.
-- +goose StatementBegin
create function guard_issued_invoice() returns trigger language plpgsql as $$
begin
    raise exception 'invoice % is issued and never deleted', old.id using errcode = 'PB003';
end $$;
-- +goose StatementEnd
create trigger guard_issued_invoice before delete on invoices for each row when (old.status <> 'draft')
    execute function guard_issued_invoice();
-- +goose StatementBegin
create function guard_issued_line() returns trigger language plpgsql as $$
begin
    if exists (select from invoices i
               where i.environment_id = old.environment_id and i.id = old.invoice_id and i.status <> 'draft') then
        raise exception 'line % is of an issued invoice and never deleted', old.id using errcode = 'PB003';
    end if;
    return old;
end $$;
-- +goose StatementEnd
create trigger guard_issued_line before delete on invoice_lines for each row execute function guard_issued_line();
