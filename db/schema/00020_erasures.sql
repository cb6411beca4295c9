-- A deletion erases the row of the customer at once, and the rest in batches, by a workflow.

-- +goose Up
create table erasures (
    id             text        not null,
    environment_id text        not null references environments,
    customer_id    text,                 -- of one customer; or
    test_clock_id  text,                 -- of the customers of a test clock, each of whom gets an erasure of its own
    stage          text        not null check (stage in ('customers', 'subscriptions', 'transactions', 'events', 'responses', 'finished')),
    after_position bigint      not null, -- up to which the stage is done, so that a repeated batch does nothing twice
    requested_at   timestamptz not null,
    progress_at    timestamptz not null, -- of the last batch: one without progress is stuck
    finished_at    timestamptz,
    started_epoch  bigint      not null default 0, -- of its workflow's last start; 0: not started yet
    primary key (environment_id, id),
    unique (environment_id, customer_id),
    unique (environment_id, test_clock_id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, test_clock_id) references test_clocks (environment_id, id),
    check (num_nonnulls(customer_id, test_clock_id) = 1),
    check ((stage = 'finished') = (finished_at is not null))
);
-- For the scans of the reconciler, over all environments.
create index erasures_unstarted on erasures (started_epoch, id) where finished_at is null;
create index erasures_unfinished on erasures (environment_id, progress_at, id) where finished_at is null;

-- Erased responses need not be found again.
drop index idempotency_keys_customer;
create index idempotency_keys_customer on idempotency_keys (environment_id, customer_id)
    where customer_id is not null and erased_at is null;
