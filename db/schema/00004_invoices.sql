-- Invoices, the one settlement of each, and the customer's credit ledger.

-- +goose Up
-- Invoice numbers are gapless per environment: this row is locked last, immediately before commit.
create table invoice_counters (
    environment_id text   not null primary key references environments,
    last_number    bigint not null default 0
);

create table invoices (
    id              text        not null,
    environment_id  text        not null,
    number          bigint      not null check (number > 0),
    customer_id     text        not null,
    subscription_id text        not null,
    status          text        not null check (status in ('open', 'paid', 'void')),
    reason          text        not null check (reason in ('subscription_create', 'subscription_cycle', 'subscription_update', 'subscription_recovery')),
    currency        char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    -- total = sum of the lines; amount_due = max(total, 0) - credit_applied.
    total           bigint      not null,
    credit_applied  bigint      not null check (credit_applied >= 0),
    amount_due      bigint      not null check (amount_due >= 0),
    amount_paid     bigint      not null,
    period_start    timestamptz not null,
    period_end      timestamptz not null,
    -- Collection, as billing/collection decided it.
    phase           text        not null check (phase in ('waiting', 'charging', 'scheduled', 'exhausted', 'settled', 'closed')),
    automatic_attempts integer  not null check (automatic_attempts >= 0),
    attempts        integer     not null check (attempts >= automatic_attempts),
    retry_at        timestamptz,
    attempt_trigger text        check (attempt_trigger in ('automatic', 'manual')),
    replaced_by     text,
    issued_at       timestamptz not null,
    paid_at         timestamptz,
    voided_at       timestamptz,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    unique (environment_id, number),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id),
    check (amount_due = greatest(total, 0) - credit_applied),
    check ((status = 'paid') = (paid_at is not null)),
    check ((status = 'void') = (voided_at is not null)),
    check (amount_paid = case when status = 'paid' then amount_due else 0 end),
    check ((status = 'paid') = (phase = 'settled'))
);
-- By the end of the period that they bill, so that a renewal finds those of the current period without reading all
-- earlier ones.
create index invoices_subscription on invoices (environment_id, subscription_id, period_end);
create index invoices_customer on invoices (environment_id, customer_id, id);
create index invoices_open on invoices (environment_id, subscription_id, number) where status = 'open';

-- A new invoice is inserted last, immediately before commit, after the rows that point at it: see invoice_counters.
alter table subscriptions add foreign key (environment_id, collecting_invoice_id)
    references invoices (environment_id, id) deferrable initially deferred;

create table invoice_lines (
    id             text        not null,
    environment_id text        not null,
    invoice_id     text        not null,
    position       integer     not null,
    kind           text        not null check (kind in ('recurring', 'proration_credit', 'proration_charge')),
    description    text        not null,
    plan_id        text        not null,
    price_id       text,
    amount         bigint      not null,
    period_start   timestamptz not null,
    period_end     timestamptz not null,
    primary key (environment_id, invoice_id, position),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id) deferrable initially deferred,
    foreign key (environment_id, plan_id) references plans (environment_id, id)
);

create table credit_balances (
    environment_id text    not null,
    customer_id    text    not null,
    currency       char(3) not null check (currency ~ '^[A-Z]{3}$'),
    balance        bigint  not null check (balance >= 0),
    primary key (environment_id, customer_id, currency),
    foreign key (environment_id, customer_id) references customers (environment_id, id)
);

-- Append-only; the sum of a customer's entries in a currency is its balance.
create table credit_entries (
    id              text        not null,
    environment_id  text        not null,
    customer_id     text        not null,
    currency        char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    amount          bigint      not null check (amount <> 0), -- positive: credit given; negative: credit used
    reason          text        not null check (reason in ('proration', 'applied', 'returned')),
    invoice_id      text        not null,
    balance_after   bigint      not null check (balance_after >= 0),
    created_at      timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id) deferrable initially deferred
);
create index credit_entries_customer on credit_entries (environment_id, customer_id, id);

-- A ledger is append-only, for every writer.
-- +goose StatementBegin
create function refuse_change() returns trigger language plpgsql as $$
begin
    raise exception 'rows of % are never changed or deleted', tg_table_name using errcode = 'PB003';
end $$;
-- +goose StatementEnd
create trigger credit_entries_append_only before update or delete on credit_entries for each row execute function refuse_change();
create trigger credit_entries_no_truncate before truncate on credit_entries for each statement execute function refuse_change();

-- Paid and void are final, and the billed amounts never change.
-- +goose StatementBegin
create function guard_invoice() returns trigger language plpgsql as $$
begin
    if old.status <> 'open' and new.status <> old.status then
        raise exception 'invoice % is % and cannot become %', old.id, old.status, new.status using errcode = 'PB005';
    end if;
    if (new.environment_id, new.id, new.number, new.customer_id, new.subscription_id, new.reason, new.currency, new.total, new.period_start, new.period_end, new.created_at)
        is distinct from (old.environment_id, old.id, old.number, old.customer_id, old.subscription_id, old.reason, old.currency, old.total, old.period_start, old.period_end, old.created_at) then
        raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_invoice before update on invoices for each row execute function guard_invoice();
