-- Events, and the memory of requests already answered.

-- +goose Up
create table events (
    id              text        not null,
    environment_id  text        not null,
    type            text        not null,
    object_id       text        not null, -- data.id of the payload
    customer_id     text,
    subscription_id text,
    sequence        bigint,               -- of the subscription: tells the order when deliveries arrive out of it
    -- Ids, codes, amounts and changed field names. Text by people and providers is in cancelReason and failureReason
    -- only, which an erasure blanks.
    data            jsonb       not null,
    -- Unix seconds, virtual on a test clock. Moved forward on collision, so that receivers can dedupe on type, object
    -- and timestamp.
    occurred_at     bigint      not null,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    unique (environment_id, type, object_id, occurred_at),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id)
);
create index events_customer on events (environment_id, customer_id, id) where customer_id is not null;
create unique index events_sequence on events (environment_id, subscription_id, sequence) where subscription_id is not null;

create table idempotency_keys (
    environment_id text        not null,
    route          text        not null, -- method and path with the ids in it
    key            text        not null check (length(key) between 1 and 255),
    fingerprint    bytea       not null, -- SHA-256 of the body
    command_id     text        not null,
    state          text        not null check (state in ('in_flight', 'performed', 'answered')),
    lease_until    timestamptz,          -- in flight: a repeat after this re-runs the command under the same command id
    status_code    integer,
    response       bytea,                -- erasable; null after erasure
    customer_id    text,                 -- whose personal data the response holds, so that erasing them erases it
    erased_at      timestamptz,
    created_at     timestamptz not null,
    primary key (environment_id, route, key),
    check ((state = 'answered') = (status_code is not null)),
    check ((state = 'in_flight') = (lease_until is not null)),
    check (erased_at is null or response is null)
);
create index idempotency_keys_age on idempotency_keys (created_at);
create index idempotency_keys_customer on idempotency_keys (environment_id, customer_id) where customer_id is not null;
