-- The credentials of an account at a provider become one sealed map, in versions under the configuration's stable id: a
-- rolled key is entered without a new callback address, and a secret that was just rolled still verifies callbacks that
-- the provider signed with it. Four providers are possible.

-- +goose Up
create table provider_credentials (
    environment_id     text        not null,
    provider_config_id text        not null,
    version            integer     not null check (version > 0),
    -- The names of the credentials in it, which are no secret: an operator sees what an account has.
    fields             text[]      not null,
    -- JSON of name and value, sealed with the app's keyset; associated data binds app, configuration and version.
    sealed             bytea       not null,
    created_at         timestamptz not null,
    primary key (environment_id, provider_config_id, version),
    foreign key (environment_id, provider_config_id) references provider_configs (environment_id, id)
);

-- SQL cannot seal: the contents of these columns stay readable until its account gets a version, which empties them. A
-- later migration drops them.
alter table provider_configs alter secret_key_sealed drop not null;

alter table provider_configs drop constraint provider_configs_provider_check;
alter table provider_configs add constraint provider_configs_provider_check
    check (provider in ('stripe', 'adyen', 'pawapay', 'flutterwave'));
