-- Which limits of features customers have reached, so that each is announced once (ADR 74).
--
-- Stepping back: no limit is announced meanwhile.

-- +goose Up
create table feature_limits_reached (
    environment_id text        not null,
    customer_id    text        not null,
    feature        text        not null,
    most           bigint      not null, -- the limit: a higher one that is reached later is announced too
    resets_at      timestamptz not null, -- when what is used begins again; infinity: it does not
    reached_at     timestamptz not null,
    primary key (environment_id, customer_id, feature, resets_at, most),
    foreign key (environment_id, customer_id) references customers (environment_id, id)
);
