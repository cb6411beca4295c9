-- The remaining requests of each API key, for all processes of the API together (ADR 56). A report says how many were
-- spent since the one before. Unlogged: after a crash of PostgreSQL all buckets are full, which does no harm.

-- +goose Up
create unlogged table api_key_buckets (
    key_id text             not null primary key,
    tokens double precision not null, -- less than nothing where processes granted the same ones
    spent  integer          not null, -- by the last report
    within double precision not null, -- seconds, in which that was
    at     timestamptz      not null
) with (fillfactor = 50);
