-- The progress of a long count of usage, so that the rating of an invoice continues after a crash (ADR 58).
--
-- Stepping back: a rating that is killed begins anew.

-- +goose Up
create table usage_pages (
    environment_id  text        not null,
    subscription_id text        not null,
    question        bytea       not null, -- a hash of the counted question and its invoice
    counted_to      timestamptz not null, -- earlier records are in the state
    state           bytea       not null, -- JSON
    kept_at         timestamptz not null default clock_timestamp(),
    primary key (environment_id, subscription_id, question)
);
