-- Which provider account takes a payment, and which one rests because it does not answer properly.

-- +goose Up
create table routing_rules (
    environment_id     text    not null,
    position           integer not null check (position > 0), -- the lowest that matches goes first
    country            text    check (country ~ '^[A-Z]{2}$'),
    currency           text    not null check (currency ~ '^([A-Z]{3})?$'), -- empty: any
    method             text    check (method <> ''),
    min_amount         bigint  check (min_amount > 0), -- minor units
    max_amount         bigint  check (max_amount > 0),
    provider_config_id text    not null,
    primary key (environment_id, position),
    foreign key (environment_id, provider_config_id) references provider_configs (environment_id, id),
    check (currency <> '' or (min_amount is null and max_amount is null)) -- an amount without a currency is none
);

-- routing.Breaker; no row: closed, and the last send was answered.
create table provider_breakers (
    environment_id     text        not null,
    provider_config_id text        not null,
    failures           integer     not null check (failures >= 0), -- in a row
    failing_since      timestamptz,
    opened_at          timestamptz,
    probe_at           timestamptz,
    primary key (environment_id, provider_config_id),
    foreign key (environment_id, provider_config_id) references provider_configs (environment_id, id),
    check ((opened_at is null) = (probe_at is null)),
    check (failures = 0 or failing_since is not null)
);

alter table provider_configs
    add max_requests_per_second integer check (max_requests_per_second between 1 and 10000); -- null: the adapter's own

alter table customers add country text check (country ~ '^[A-Z]{2}$'); -- ISO 3166-1 alpha-2
