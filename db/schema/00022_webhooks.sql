-- Webhooks: who wants to hear of events, what each is owed, and every attempt to deliver it.

-- +goose Up
create table webhook_endpoints (
    id                     text        not null,
    environment_id         text        not null references environments,
    position               bigint      not null,
    url                    text        not null check (url <> ''),
    description            text        not null default '',
    -- Exact types, or patterns: payment.* and *. See event_matches.
    events                 text[]      not null check (cardinality(events) between 1 and 100 and array_position(events, null) is null),
    payload_shape          text        not null check (payload_shape in ('A', 'B')),
    status                 text        not null check (status in ('enabled', 'disabled')),
    disabled_reason        text        check (disabled_reason in ('requested', 'failing', 'deleted')),
    disabled_at            timestamptz,
    -- Sealed with the app's keyset; associated data binds app, endpoint and field. After a rotation both secrets sign
    -- until previous_secret_until.
    secret_sealed          bytea       not null,
    previous_secret_sealed bytea,
    previous_secret_until  timestamptz,
    -- Since when no attempt has succeeded although some were made; an endpoint that fails for days is disabled.
    failing_since          timestamptz,
    -- Since when, in real time, a signal to the endpoint's workflow is under way: set by the transaction that creates a
    -- delivery, cleared when the workflow reads it. The reconciler repeats the signal where it stays set.
    wake_pending_since     timestamptz,
    -- When the workflow has something to do next; null: when it is woken. The reconciler wakes overdue ones.
    next_attempt_at        timestamptz,
    started_epoch          bigint      not null default 0,
    deleted_at             timestamptz,
    revision               bigint      not null default 1,
    created_at             timestamptz not null,
    primary key (environment_id, id),
    check ((status = 'disabled') = (disabled_at is not null)),
    check ((disabled_at is null) = (disabled_reason is null)),
    check ((deleted_at is not null) = (disabled_reason is not distinct from 'deleted')),
    check ((previous_secret_sealed is null) = (previous_secret_until is null))
);
create unique index webhook_endpoints_position on webhook_endpoints (environment_id, position) where deleted_at is null;
create index webhook_endpoints_enabled on webhook_endpoints (environment_id) where status = 'enabled';
create index webhook_endpoints_unstarted on webhook_endpoints (started_epoch, id) where status = 'enabled';
create index webhook_endpoints_wake_pending on webhook_endpoints (wake_pending_since) where wake_pending_since is not null;
create index webhook_endpoints_due on webhook_endpoints (next_attempt_at) where next_attempt_at is not null;
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null and status = 'enabled';
create index webhook_endpoints_given_up on webhook_endpoints (disabled_at) where disabled_reason = 'failing';
create trigger webhook_endpoints_take_position before insert on webhook_endpoints for each row execute function take_position();
-- A deleted endpoint stays until its log has expired, and later: it is one short row.
create trigger webhook_endpoints_never_deleted before delete on webhook_endpoints for each row execute function refuse_change();

-- An event that an endpoint is owed. It has no foreign key to the endpoint: each insert would lock the one row that all
-- writers of the environment share. WebhookDeliveryOwe, which alone inserts here, takes both from rows of one environment, and
-- endpoints are never deleted.
create table webhook_deliveries (
    id              text        not null,
    environment_id  text        not null,
    position        bigint      not null,
    endpoint_id     text        not null,
    event_id        text        not null,
    event_type      text        not null, -- of the event, like object_id: the log is filtered by them
    object_id       text        not null,
    -- First attempts of one subscription's events go out one after the other; null: in any order.
    ordering_key    text,
    -- As the endpoint's was, so that the bytes of the body are the same in every attempt.
    payload_shape   text        not null check (payload_shape in ('A', 'B')),
    status          text        not null check (status in ('pending', 'succeeded', 'failed')),
    -- Automatic attempts that ended; one that a crash left open does not count.
    attempts        integer     not null default 0 check (attempts >= 0),
    unknown_attempts integer    not null default 0 check (unknown_attempts >= 0),
    -- Automatic or not; the number of the last one.
    last_attempt    integer     not null default 0 check (last_attempt >= 0),
    next_attempt_at timestamptz,
    -- The next attempt was asked for by a person and consumes no retry.
    redeliver       boolean     not null default false,
    failed_reason   text        check (failed_reason in ('attempts_used', 'endpoint_disabled')),
    succeeded_at    timestamptz, -- the first time
    failed_at       timestamptz,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    unique (environment_id, event_id, endpoint_id),
    foreign key (environment_id, event_id) references events (environment_id, id),
    check ((status = 'pending') = (next_attempt_at is not null)),
    check ((status = 'failed') = (failed_reason is not null)),
    check ((status = 'failed') = (failed_at is not null)),
    check (status <> 'succeeded' or succeeded_at is not null),
    check (not redeliver or status = 'pending')
);
create unique index webhook_deliveries_position on webhook_deliveries (environment_id, position);
create index webhook_deliveries_endpoint on webhook_deliveries (environment_id, endpoint_id, position);
create index webhook_deliveries_object on webhook_deliveries (environment_id, object_id, position);
create index webhook_deliveries_failed on webhook_deliveries (environment_id, position) where status = 'failed';
create index webhook_deliveries_age on webhook_deliveries (created_at);
-- Pending deliveries of an endpoint: first attempts in the order of the events, later ones by their time.
create index webhook_deliveries_first on webhook_deliveries (environment_id, endpoint_id, position)
    where status = 'pending' and attempts = 0;
create index webhook_deliveries_later on webhook_deliveries (environment_id, endpoint_id, next_attempt_at)
    where status = 'pending' and attempts > 0;
create trigger webhook_deliveries_take_position before insert on webhook_deliveries for each row execute function take_position();

-- One POST. The row is written before the first byte; one that a crash leaves open is closed as unknown.
create table webhook_attempts (
    environment_id   text        not null,
    delivery_id      text        not null,
    number           integer     not null check (number > 0),
    endpoint_id      text        not null,
    manual           boolean     not null,
    started_at       timestamptz not null,
    ended_at         timestamptz,
    outcome          text        check (outcome in ('succeeded', 'failed', 'unknown')),
    status_code      integer     check (status_code between 100 and 999), -- null: no response
    latency_ms       integer     check (latency_ms >= 0),
    request_headers  jsonb,      -- without signatures
    response_excerpt bytea       check (octet_length(response_excerpt) <= 65536),
    error_class      text,
    error_text       text,
    primary key (environment_id, delivery_id, number),
    foreign key (environment_id, delivery_id) references webhook_deliveries (environment_id, id),
    check ((ended_at is null) = (outcome is null)),
    check ((outcome is not distinct from 'failed') = (error_class is not null)),
    check ((error_class is null) = (error_text is null)),
    check (outcome is distinct from 'succeeded' or status_code = 200)
);
-- One attempt of a delivery at a time.
create unique index webhook_attempts_open on webhook_attempts (environment_id, delivery_id) where ended_at is null;
create index webhook_attempts_open_of_endpoint on webhook_attempts (environment_id, endpoint_id) where ended_at is null;

-- Whether an endpoint wants a type: the same rule as delivery.Wants, which a test compares.
-- +goose StatementBegin
create function event_matches(event_type text, patterns text[]) returns boolean language sql immutable strict parallel safe as $$
    select event_type = any(patterns) or '*' = any(patterns)
        or exists (select from unnest(patterns) p where right(p, 2) = '.*' and starts_with(event_type, left(p, -1)));
$$;
-- +goose StatementEnd

-- Whether the end of an attempt has come too late to decide about its delivery: a person asked for another attempt
-- meanwhile, or the endpoint was disabled. That the delivery arrived is never too late.
-- +goose StatementBegin
create function webhook_end_is_past(d webhook_deliveries, manual boolean, outcome text) returns boolean language sql immutable as $$
    select d.redeliver and not manual or d.status <> 'pending' and outcome <> 'succeeded';
$$;
-- +goose StatementEnd

create or replace view list_positions as
select tenant_id as scope, id, position from apps
union all select environment_id, id, position from plans
union all select environment_id, id, position from test_clocks
union all select environment_id, id, position from customers
union all select environment_id, id, position from subscriptions
union all select environment_id, id, position from invoices
union all select environment_id, id, position from transactions
union all select environment_id, id, position from events
union all select environment_id, id, position from webhook_endpoints
union all select environment_id, id, position from webhook_deliveries;
