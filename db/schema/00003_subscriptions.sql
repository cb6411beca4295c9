-- Subscriptions: one row holds the whole state of one subscription; its workflow only knows when to read it again.

-- +goose Up
create table subscriptions (
    id                    text        not null,
    environment_id        text        not null,
    customer_id           text        not null,
    plan_id               text        not null,
    status                text        not null check (status in ('trialing', 'active', 'past_due', 'canceled')),
    currency              char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    -- Boundaries are local wall times counted from the anchor, never from the previous boundary.
    time_zone             text        not null,
    anchor_at             timestamptz not null,
    interval_unit         text        not null check (interval_unit in ('day', 'week', 'month', 'year')),
    interval_count        integer     not null check (interval_count > 0),
    trial_ends_at         timestamptz,
    current_period_start  timestamptz not null,
    current_period_end    timestamptz not null,
    -- Index, counted from the anchor, of the next period to open and bill; it starts at boundary(next_period).
    next_period           integer     not null check (next_period >= 0),
    paid_through          timestamptz,
    activated_at          timestamptz,
    pending_plan_id       text,
    cancel_at_period_end  boolean     not null,
    cancel_reason         text,
    canceled_at           timestamptz,
    past_due_at           timestamptz,
    -- The one invoice in collection (oldest open first).
    collecting_invoice_id text,
    test_clock_id         text,
    metadata              jsonb       not null,
    -- A new payment method that the workflow has not acted on yet: since when, in real time.
    method_changed_at     timestamptz,
    -- The next action and its time, as the rules decided them, for operators, the reconciler and test clocks.
    next_action           text        not null check (next_action in ('begin', 'trial_end', 'renewal', 'cancel', 'payment_retry', 'past_due_cancel', 'none')),
    next_action_at        timestamptz,
    event_sequence        bigint      not null default 0,
    started_epoch         bigint      not null default 0, -- of its workflow's last start; 0: not started yet
    finished_at           timestamptz, -- canceled and nothing pending: the workflow may end
    revision              bigint      not null default 1,
    created_at            timestamptz not null,
    updated_at            timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, plan_id) references plans (environment_id, id),
    foreign key (environment_id, pending_plan_id) references plans (environment_id, id),
    foreign key (environment_id, test_clock_id) references test_clocks (environment_id, id),
    check (current_period_end > current_period_start),
    check ((status = 'canceled') = (canceled_at is not null)),
    check ((status = 'past_due') = (past_due_at is not null)),
    check ((next_action = 'none') = (next_action_at is null)),
    check (finished_at is null or status = 'canceled')
)
-- Room on each page for the row versions that event_sequence makes, so that they need no new index entries.
with (fillfactor = 80);
create index subscriptions_customer on subscriptions (environment_id, customer_id, id desc);
create index subscriptions_clock on subscriptions (environment_id, test_clock_id, next_action_at)
    where test_clock_id is not null and finished_at is null;
-- For the scans of the reconciler, over all environments.
create index subscriptions_unstarted on subscriptions (started_epoch, id) where finished_at is null;
create index subscriptions_method_changed on subscriptions (method_changed_at) where method_changed_at is not null;
create index subscriptions_late on subscriptions (next_action_at)
    where finished_at is null and test_clock_id is null and next_action_at is not null;

-- Commands that a subscription has performed, so that a repeat (same id, after a crash) finds its first outcome.
create table commands (
    environment_id  text        not null,
    id              text        not null,
    subscription_id text        not null,
    name            text        not null,
    outcome         jsonb       not null,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id)
);
create index commands_age on commands (created_at);

-- The text that a person wrote into a command. It is never sent through Temporal, since nothing can be erased from its
-- histories: the command carries the id of the text only.
create table command_texts (
    environment_id text        not null,
    command_id     text        not null,
    customer_id    text        not null, -- erased with the customer
    text           text        not null,
    created_at     timestamptz not null,
    primary key (environment_id, command_id),
    foreign key (environment_id, customer_id) references customers (environment_id, id)
);
create index command_texts_age on command_texts (created_at);
create index command_texts_customer on command_texts (environment_id, customer_id);

-- A canceled subscription stays canceled, for every writer.
-- +goose StatementBegin
create function guard_subscription() returns trigger language plpgsql as $$
begin
    if old.status = 'canceled' and new.status <> 'canceled' then
        raise exception 'subscription % is canceled and stays so', old.id using errcode = 'PB001';
    end if;
    if (new.environment_id, new.id, new.customer_id, new.currency, new.created_at)
        is distinct from (old.environment_id, old.id, old.customer_id, old.currency, old.created_at) then
        raise exception 'subscription %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_subscription before update on subscriptions for each row execute function guard_subscription();
