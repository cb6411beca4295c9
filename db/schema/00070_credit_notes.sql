-- Credit notes: amounts of an issued invoice that were given back (ADR 43). The sums by invoice and by line are in the
-- rows of the billed amounts, so that no writer gives back more, and decisions about a subscription read no more rows
-- than before.

-- +goose Up
-- Earlier builds write none of these: 0 is right for their rows.
alter table invoices
    add column credited bigint not null default 0,
    add column credited_tax bigint not null default 0, -- of credited
    add column credited_due bigint not null default 0, -- of credited: no longer asked for
    add column credited_refund bigint not null default 0, -- of credited: went back in money
    add constraint invoices_credited check (
        credited between 0 and greatest(total, 0) and credited_tax between 0 and credited and credited_due >= 0
        and credited_refund >= 0 and credited_due + credited_refund <= credited),
    drop constraint invoices_amount_due,
    add constraint invoices_amount_due
        check (amount_due = greatest(total, 0) - credit_applied + brought_forward - carried_forward - credited_due);
alter table invoice_lines
    add column credited bigint not null default 0,
    add constraint invoice_lines_credited check (credited between 0 and greatest(amount, 0));
-- The lines that take back unused time of others.
create index invoice_lines_reversing on invoice_lines (environment_id, reverses) where reverses is not null;

-- A credit note may leave less than the provider takes, which is carried forward then: it only grows.
-- +goose StatementBegin
create or replace function guard_invoice() returns trigger language plpgsql as $$
begin
    if old.status <> 'open' and new.status <> old.status and not (old.status = 'uncollectible' and new.status = 'paid') then
        raise exception 'invoice % is % and cannot become %', old.id, old.status, new.status using errcode = 'PB005';
    end if;
    if (new.environment_id, new.id, new.number, new.customer_id, new.subscription_id, new.reason, new.currency, new.total, new.brought_forward, new.period_start, new.period_end, new.created_at)
        is distinct from (old.environment_id, old.id, old.number, old.customer_id, old.subscription_id, old.reason, old.currency, old.total, old.brought_forward, old.period_start, old.period_end, old.created_at)
        or new.carried_forward < old.carried_forward or new.carried_forward > old.carried_forward and new.credited = old.credited
        or (new.credited, new.credited_tax, new.credited_due, new.credited_refund) < (old.credited, old.credited_tax, old.credited_due, old.credited_refund) then
        raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd

-- Numbers are gapless per environment and apart from those of invoices. The row is locked before an invoice counter.
create table credit_note_counters (
    environment_id text   not null primary key references environments,
    last_number    bigint not null default 0
);

create table credit_notes (
    id              text        not null,
    environment_id  text        not null references environments,
    position        bigint      not null,
    number          bigint      not null check (number > 0),
    invoice_id      text        not null,
    customer_id     text        not null,
    subscription_id text,
    currency        char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    reason          text        not null check (reason in ('duplicate', 'fraudulent', 'order_change', 'unsatisfactory', 'goodwill', 'other')),
    memo            text,       -- erasable
    subtotal        bigint      not null check (subtotal >= 0),
    tax             bigint      not null check (tax >= 0),
    taxes           jsonb,
    total           bigint      not null check (total > 0),
    due             bigint      not null check (due >= 0),     -- taken off what the open invoice asked for
    balance         bigint      not null check (balance >= 0), -- given to the customer's balance
    refund          bigint      not null check (refund >= 0),  -- given back in money
    refund_id       text,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    unique (environment_id, number),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id),
    foreign key (environment_id, refund_id) references transactions (environment_id, id),
    check (subtotal + tax = total and due + balance + refund = total),
    check ((refund_id is not null) = (refund > 0))
);
create trigger credit_notes_take_position before insert on credit_notes for each row execute function take_position();
create unique index credit_notes_position on credit_notes (environment_id, position);
create index credit_notes_invoice on credit_notes (environment_id, invoice_id);
create index credit_notes_customer on credit_notes (environment_id, customer_id, position);

create table credit_note_lines (
    environment_id  text    not null,
    credit_note_id  text    not null,
    position        integer not null,
    invoice_line_id text    not null,
    amount          bigint  not null check (amount > 0), -- after discounts, before taxes
    primary key (environment_id, credit_note_id, position),
    foreign key (environment_id, credit_note_id) references credit_notes (environment_id, id)
);
create trigger credit_note_lines_append_only before update or delete on credit_note_lines for each row execute function refuse_change();

-- A credit note is final; only the memo can be erased.
-- +goose StatementBegin
create function guard_credit_note() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE' or to_jsonb(new) - 'memo' is distinct from to_jsonb(old) - 'memo' or new.memo is not null and new.memo is distinct from old.memo then
        raise exception 'credit note % is never changed or deleted', old.id using errcode = 'PB003';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_credit_note before update or delete on credit_notes for each row execute function guard_credit_note();

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from credit_notes';
end $$;
-- +goose StatementEnd

alter table credit_entries drop constraint credit_entries_reason;
alter table credit_entries add constraint credit_entries_reason check (reason in (
    'proration', 'applied', 'returned', 'carried_forward', 'brought_forward', 'refunded', 'refund_failed', 'not_captured', 'credit_note'));
