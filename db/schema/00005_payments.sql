-- Payments: every attempt to move money, every exchange with a provider, and the guard that keeps final states final.

-- +goose Up
create table transactions (
    id                 text        not null,
    environment_id     text        not null,
    type               text        not null check (type in ('charge', 'refund')),
    status             text        not null check (status in ('pending', 'success', 'failed', 'declined', 'canceled', 'refunded')),
    customer_id        text        not null,
    subscription_id    text,
    invoice_id         text,
    amount             bigint      not null check (amount > 0),
    currency           char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    description        text        not null,
    attempt_number     integer     check (attempt_number > 0), -- of the invoice, automatic and manual together
    trigger            text        not null check (trigger in ('automatic', 'manual')),
    provider           text,
    provider_config_id text,
    provider_ref       text,
    -- The method as it was when the attempt was made; erasable.
    method             jsonb,
    failure_code       text        check (failure_code in ('INSUFFICIENT_FUNDS', 'INVALID_ACCOUNT', 'DECLINED', 'DAILY_LIMIT', 'ACCOUNT_BLOCKED')),
    failure_reason     text,
    provider_response  jsonb,      -- redacted by the adapter; erasable
    -- A refund points at the charge it gives back; a recovered success at the canceled charge it came from.
    charge_id          text,
    recovered_from     text,
    amount_refunded    bigint      not null check (amount_refunded between 0 and amount),
    -- The charge protocol. Real time, also on a test clock. A new send (after a proof that the last one was not taken)
    -- has a new key; everything else repeats the old one.
    send_number        integer     not null check (send_number >= 0),
    first_sent_at      timestamptz,
    cancel_requested_at timestamptz,
    next_check_at      timestamptz,
    checks             integer     not null check (checks >= 0),
    not_found_count    integer     not null check (not_found_count >= 0),
    not_found_at       timestamptz,
    parked_at          timestamptz, -- nothing more can be asked: an operator must look
    started_epoch      bigint      not null default 0, -- of its own workflow, where no subscription's serves it; 0: not started
    due_at             timestamptz not null, -- when the charge became due: renewal lateness is measured from it
    completed_at       timestamptz,
    revision           bigint      not null default 1,
    created_at         timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id) deferrable initially deferred,
    foreign key (environment_id, provider_config_id) references provider_configs (environment_id, id),
    foreign key (environment_id, charge_id) references transactions (environment_id, id),
    foreign key (environment_id, recovered_from) references transactions (environment_id, id),
    check ((status = 'pending') = (completed_at is null)),
    check ((type = 'refund') = (charge_id is not null)),
    check (status <> 'refunded' or type = 'refund'),
    check (status <> 'success' or type = 'charge'),
    check (invoice_id is null or subscription_id is not null)
);
create index transactions_subscription on transactions (environment_id, subscription_id, id) where subscription_id is not null;
create index transactions_invoice on transactions (environment_id, invoice_id) where invoice_id is not null;
create index transactions_customer on transactions (environment_id, customer_id, id);
-- One live attempt per invoice; one transaction per provider reference.
create unique index transactions_one_live_attempt on transactions (environment_id, invoice_id)
    where status = 'pending' and type = 'charge' and invoice_id is not null;
create unique index transactions_provider_ref on transactions (provider_config_id, provider_ref, type)
    where provider_ref is not null and recovered_from is null;
-- A canceled charge that was captured after all comes back as one new transaction, not as two.
create unique index transactions_recovered_from on transactions (environment_id, recovered_from) where recovered_from is not null;
-- The few that are not decided, for the reconciler over all environments and for each subscription's own look.
create index transactions_pending on transactions (environment_id, subscription_id) where status = 'pending';
create index transactions_due on transactions (next_check_at) where status = 'pending' and parked_at is null;
create index transactions_unstarted on transactions (started_epoch, id) where status = 'pending';

-- The one success that counts for an invoice. amount 0 with no transaction: paid by credit, or nothing was due.
create table settlements (
    environment_id text        not null,
    invoice_id     text        not null,
    transaction_id text,
    amount         bigint      not null check (amount >= 0),
    settled_at     timestamptz not null,
    primary key (environment_id, invoice_id),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id) deferrable initially deferred,
    foreign key (environment_id, transaction_id) references transactions (environment_id, id),
    check ((transaction_id is null) = (amount = 0))
);
create unique index settlements_transaction on settlements (environment_id, transaction_id) where transaction_id is not null;
create trigger settlements_append_only before update or delete on settlements for each row execute function refuse_change();
create trigger settlements_no_truncate before truncate on settlements for each statement execute function refuse_change();

-- One HTTP exchange with a provider for a transaction; opened before the call, closed after it.
create table provider_calls (
    id             text        not null,
    environment_id text        not null,
    transaction_id text        not null,
    operation      text        not null check (operation in ('charge', 'lookup', 'cancel', 'refund', 'refund_lookup')),
    key            text        not null, -- idempotency key sent; empty where none was: look-ups, cancels
    outcome        text        check (outcome in ('succeeded', 'declined', 'failed', 'canceled', 'pending', 'unknown', 'not_sent', 'not_found', 'error')),
    http_status    integer,
    response       jsonb,      -- erasable
    started_at     timestamptz not null,
    ended_at       timestamptz,
    primary key (environment_id, transaction_id, id),
    foreign key (environment_id, transaction_id) references transactions (environment_id, id),
    check ((outcome is null) = (ended_at is null))
);

-- Messages from providers: stored first, then signalled.
create table provider_callbacks (
    id                 text        not null,
    environment_id     text        not null,
    provider_config_id text        not null,
    provider_event_id  text        not null,
    type               text        not null,
    transaction_id     text,       -- null: no transaction of ours is known by it (yet)
    provider_ref       text        not null, -- empty: the message carries none
    received_at        timestamptz not null,
    processed_at       timestamptz,
    primary key (environment_id, id),
    foreign key (environment_id, provider_config_id) references provider_configs (environment_id, id),
    foreign key (environment_id, transaction_id) references transactions (environment_id, id),
    unique (provider_config_id, provider_event_id)
);
create index provider_callbacks_open on provider_callbacks (received_at) where processed_at is null;
create index provider_callbacks_transaction on provider_callbacks (environment_id, transaction_id) where processed_at is null;

-- The pairs are those of payment.CanBecome, which a test compares one by one: success, canceled and refunded are never
-- overwritten; failed and declined only by a success that a provider confirms late. The request (amount, currency,
-- parties) never changes; rows are never deleted.
-- +goose StatementBegin
create function guard_transaction() returns trigger language plpgsql as $$
declare
    good text;
begin
    if tg_op in ('DELETE', 'TRUNCATE') then
        raise exception 'transactions are never deleted' using errcode = 'PB003';
    end if;
    good := case when old.type = 'refund' then 'refunded' else 'success' end;
    if new.status <> old.status and not (
        (old.status in ('pending', 'failed', 'declined') and new.status = good)
        or (old.status = 'pending' and new.status in ('failed', 'canceled'))
        or (old.status = 'pending' and new.status = 'declined' and old.type = 'charge')
    ) then
        raise exception 'transaction % is % and cannot become %', old.id, old.status, new.status using errcode = 'PB004';
    end if;
    if (new.environment_id, new.id, new.type, new.customer_id, new.subscription_id, new.invoice_id, new.amount, new.currency, new.charge_id, new.recovered_from, new.created_at)
        is distinct from (old.environment_id, old.id, old.type, old.customer_id, old.subscription_id, old.invoice_id, old.amount, old.currency, old.charge_id, old.recovered_from, old.created_at) then
        raise exception 'transaction %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_transaction before update or delete on transactions for each row execute function guard_transaction();
create trigger guard_transaction_truncate before truncate on transactions for each statement execute function guard_transaction();
