-- How far a long count of usage has come, so that the rating of an invoice that is killed goes on behind it (ADR 58).
--
-- Stepping back: a rating that is killed begins anew.

-- +goose Up
create table usage_pages (
    environment_id  text        not null,
    subscription_id text        not null,
    question        bytea       not null, -- a hash of what is counted, and for which invoice
    counted_to      timestamptz not null, -- records of before are in the state
    state           bytea       not null, -- JSON
    kept_at         timestamptz not null default clock_timestamp(),
    primary key (environment_id, subscription_id, question)
);
