-- The time of the next check of a subscription's usage: one process at a time checks, and a busy subscription not at
-- each merge.
--
-- Stepping back: builds from before ask about the same subscriptions in every process, at each merge.

-- +goose NO TRANSACTION
-- +goose Up
alter table usage_touched add column if not exists due_at timestamptz not null default now();

-- Building it waits for open transactions, and blocks none. An interrupted build leaves an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists usage_touched_by_time;
drop index concurrently if exists usage_touched_due;
create index concurrently usage_touched_due on usage_touched (due_at);
set lock_timeout = '1s';
