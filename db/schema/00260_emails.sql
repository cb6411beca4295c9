-- Mail to customers (ADR 91): an environment has one sender, or none. A mail is a row that is written with what it tells of, as a delivery
-- to a webhook endpoint is.
--
-- Stepping back: builds from before write and send no mails; those of events meanwhile are never written.

-- +goose Up
create table email_senders (
    id                 text        not null,
    environment_id     text        not null references environments,
    from_email         text        not null check (from_email <> ''),
    from_name          text        not null,
    reply_to           text        not null, -- empty: the sender
    host               text        not null check (host <> ''),
    port               integer     not null check (port between 1 and 65535),
    security           text        not null check (security in ('starttls', 'tls', 'none')),
    user_name          text        not null, -- empty: no login
    -- Sealed with the app's keyset; associated data binds app, sender and field.
    password_sealed    bytea,
    dkim_domain        text        not null, -- empty: mails are not signed
    dkim_selector      text        not null,
    dkim_key_sealed    bytea,
    kinds              text[]      not null, -- those that are switched on
    allowed_recipients text[]      not null, -- of a test environment: addresses, and domains as @example.com
    -- Since when the mail server fails for all mails alike, and how.
    failing_since      timestamptz,
    failure_class      text,
    failure_text       text,
    -- Since when, in real time, a signal to the sender's workflow is under way, and when that has something to do next, as for
    -- webhook endpoints.
    wake_pending_since timestamptz,
    next_attempt_at    timestamptz,
    started_epoch      bigint      not null default 0,
    deleted_at         timestamptz,
    revision           bigint      not null default 1,
    created_at         timestamptz not null,
    updated_at         timestamptz not null,
    primary key (environment_id, id),
    check ((user_name = '') = (password_sealed is null)),
    check ((dkim_domain = '') = (dkim_key_sealed is null)),
    check (deleted_at is null or (password_sealed is null and dkim_key_sealed is null))
);
create unique index email_senders_one on email_senders (environment_id) where deleted_at is null;
create index email_senders_unstarted on email_senders (started_epoch, id) where deleted_at is null;
create index email_senders_waking on email_senders (wake_pending_since) where wake_pending_since is not null;
create index email_senders_due on email_senders (next_attempt_at) where next_attempt_at is not null;

create table emails (
    id              text        not null,
    environment_id  text        not null,
    position        bigint      not null,
    kind            text        not null,
    object_id       text        not null,
    occurrence      text        not null, -- tells apart what happens to one object more than once; empty: it happens once
    customer_id     text        not null,
    event_id        text,                 -- null: it was asked for
    recipient       text,                 -- null: erased
    status          text        not null check (status in ('pending', 'sent', 'failed', 'suppressed', 'canceled')),
    reason          text,
    -- The content is drawn with the first attempt, and stays: null before, and once it is erased.
    language        text,
    subject         text,
    body_text       text,
    body_html       text,
    attempts        integer     not null default 0, -- those that use one up
    log             jsonb       not null default '[]',
    next_attempt_at timestamptz,          -- null: it is not pending
    sent_at         timestamptz,
    erased_at       timestamptz,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    -- One mail for each object, kind and recipient, however often its event is written. An erased recipient has none.
    unique (environment_id, kind, object_id, occurrence, recipient),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    check ((status = 'pending') = (next_attempt_at is not null)),
    check (status in ('pending', 'sent') or reason <> ''),
    check (jsonb_typeof(log) = 'array')
);
create trigger emails_take_position before insert on emails for each row execute function take_position();
create unique index emails_position on emails (environment_id, position);
create index emails_customer on emails (environment_id, customer_id, position);
create index emails_object on emails (environment_id, object_id, position);
create index emails_due on emails (environment_id, next_attempt_at) where status = 'pending';
create index emails_old on emails (created_at) where status <> 'pending';

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from emails';
end $$;
-- +goose StatementEnd
