-- Tenancy: tenant ⊃ app ⊃ environment, and the keys that open an environment.
--
-- In all later migrations every row of customer data carries environment_id, primary keys begin with it, and composite
-- foreign keys keep two environments from ever sharing a row. A table that reaches its environment through such a key has
-- no foreign key to environments of its own: each insert would lock the one environment row that all sessions share.
-- IDs sort by time in any collation (lower case digits and letters of equal length), so an index on them pages newest
-- first by being read backwards.

-- +goose Up
create table tenants (
    id         text primary key,
    name       text        not null check (name <> ''),
    created_at timestamptz not null
);

create table apps (
    id         text primary key,
    tenant_id  text        not null references tenants,
    name       text        not null check (name <> ''),
    -- Tink keyset of this app, wrapped by the key-encryption key: deleting it makes every credential unreadable.
    keyset     bytea       not null,
    created_at timestamptz not null
);
create index apps_tenant on apps (tenant_id);

create table environments (
    id                         text primary key,
    app_id                     text        not null references apps,
    mode                       text        not null check (mode in ('test', 'live')),
    time_zone                  text        not null check (time_zone <> ''),
    retry_base_seconds         bigint      not null check (retry_base_seconds between 60 and 2592000),
    retry_factor               integer     not null check (retry_factor between 1 and 10),
    retry_count                integer     not null check (retry_count between 0 and 10),
    retry_jitter_seconds       bigint      not null check (retry_jitter_seconds between 0 and 3600),
    past_due_billing           text        not null check (past_due_billing in ('skip', 'accrue')),
    past_due_cancel_after_days integer     check (past_due_cancel_after_days between 1 and 365),
    created_at                 timestamptz not null,
    unique (app_id, mode)
);

create table api_keys (
    id             text primary key,
    environment_id text        not null references environments,
    kind           text        not null check (kind in ('secret', 'publishable')),
    -- SHA-256 of the whole key. The key itself is shown once and never stored.
    hash           bytea       not null unique check (length(hash) = 32),
    hint           text        not null, -- prefix and last four characters, for people
    scopes         text[]      not null check (scopes <@ array ['read', 'webhooks', '*'] and cardinality(scopes) > 0),
    allowed_cidrs  cidr[]      not null default '{}', -- empty: from anywhere
    expires_at     timestamptz,
    revoked_at     timestamptz,
    created_at     timestamptz not null
);
create index api_keys_environment on api_keys (environment_id);

-- All that a request needs to know about its key, so that key and resource are fetched by one join.
create view api_key_details as
select k.hash, k.id, k.environment_id, e.app_id, a.tenant_id, e.mode, k.kind, k.scopes, k.allowed_cidrs, k.expires_at,
       k.revoked_at, e.time_zone
from api_keys k
join environments e on e.id = k.environment_id
join apps a on a.id = e.app_id;

create table provider_configs (
    id                    text primary key, -- alone: an inbound callback names the config before we know its environment
    environment_id        text        not null references environments,
    provider              text        not null check (provider in ('stripe')),
    is_primary            boolean     not null,
    -- Credentials sealed with the app's keyset; associated data binds app, config and field.
    secret_key_sealed     bytea       not null,
    webhook_secret_sealed bytea,
    created_at            timestamptz not null,
    unique (environment_id, id)
);
create unique index provider_configs_one_primary on provider_configs (environment_id) where is_primary;

-- One row. A missing reconciler Schedule in Temporal means that Temporal's database was lost: the epoch is then
-- incremented, and everything that was started in an older epoch is started again.
create table temporal_epoch (
    only_row boolean primary key default true check (only_row),
    epoch    bigint not null
);
insert into temporal_epoch (epoch) values (1);
