-- Catalogue and customers: plans and prices, customers, and the clocks of test customers.

-- +goose Up
create table plans (
    id             text        not null,
    environment_id text        not null references environments,
    name           text        not null check (name <> ''),
    currency       char(3)     not null check (currency ~ '^[A-Z]{3}$'),
    interval_unit  text        not null check (interval_unit in ('day', 'week', 'month', 'year')),
    interval_count integer     not null check (interval_count > 0),
    trial_days     integer     not null check (trial_days between 0 and 730),
    active         boolean     not null,
    metadata       jsonb       not null,
    created_at     timestamptz not null,
    primary key (environment_id, id)
);

-- A plan's price components. Prices never change: a new price is a new plan, so the plan_id fixes the prices of a
-- subscription.
create table prices (
    id             text    not null,
    environment_id text    not null,
    plan_id        text    not null,
    position       integer not null,
    name           text    not null,
    model          text    not null check (model in ('flat')),
    amount         bigint  not null check (amount between 0 and 999999999999),
    primary key (environment_id, id),
    foreign key (environment_id, plan_id) references plans (environment_id, id),
    unique (environment_id, plan_id, position)
);

create table test_clocks (
    id             text        not null,
    environment_id text        not null references environments,
    name           text        not null,
    status         text        not null check (status in ('ready', 'advancing')),
    now_at         timestamptz not null,
    target_at      timestamptz,
    -- Why the last advance stopped early: the transactions still pending after 10 s of real time.
    blocked_by     text[]      not null,
    revision       bigint      not null default 1,
    created_at     timestamptz not null,
    primary key (environment_id, id),
    check ((status = 'advancing') = (target_at is not null)),
    check (target_at is null or target_at >= now_at)
);
-- For the scan of the reconciler, over all environments: a clock that moves has a workflow.
create index test_clocks_advancing on test_clocks (environment_id, id) where status = 'advancing';

create table customers (
    id              text        not null,
    environment_id  text        not null references environments,
    -- Personal data lives here and in erasable columns only. Erasure nulls it and sets erased_at.
    email           text,
    name            text,
    phone           text,
    metadata        jsonb       not null,
    payment_method  text,
    payment_details jsonb,
    test_clock_id   text,
    erased_at       timestamptz,
    revision        bigint      not null default 1,
    created_at      timestamptz not null, -- the clock's time for a customer on a test clock
    primary key (environment_id, id),
    foreign key (environment_id, test_clock_id) references test_clocks (environment_id, id),
    check (erased_at is null or (metadata = '{}' and num_nonnulls(email, name, phone, payment_method, payment_details) = 0))
);
create index customers_clock on customers (environment_id, test_clock_id) where test_clock_id is not null;
