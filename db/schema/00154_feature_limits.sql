-- The limits of features that customers have reached, so that each is announced once (ADR 74).
--
-- Stepping back: no limit is announced meanwhile.

-- +goose Up
create table feature_limits_reached (
    environment_id text        not null,
    customer_id    text        not null,
    feature        text        not null,
    most           bigint      not null, -- the limit: a higher one is announced when it is reached
    resets_at      timestamptz not null, -- the time of the next reset; infinity: none
    reached_at     timestamptz not null,
    primary key (environment_id, customer_id, feature, resets_at, most),
    foreign key (environment_id, customer_id) references customers (environment_id, id)
);
