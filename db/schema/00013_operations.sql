-- Views for operators and alerts, straight from PostgreSQL, also while Temporal or every worker is away.

-- +goose Up
-- Each worker process writes a beat every few seconds. Temporal learns that a poller has gone only when its long poll
-- would have ended, a minute later; a deployment that stops all billing must be visible sooner.
create table workers (
    id         text        primary key, -- of one run of one process
    deployment text        not null,
    build_id   text        not null, -- empty: unversioned
    started_at timestamptz not null,
    seen_at    timestamptz not null,
    stopped_at timestamptz  -- it was told to stop, and takes no new work
);
create index workers_build on workers (deployment, build_id);
create index workers_seen on workers (seen_at);

-- When the reconciler last finished a pass; null: never.
alter table temporal_epoch add column reconciled_at timestamptz;

-- Payments that need review: no timer ever finds them again.
create index transactions_review on transactions (parked_at) where status = 'pending' and parked_at is not null;
