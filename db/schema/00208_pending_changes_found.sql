-- Finds the changes that wait for their payment, for overlooked_dates.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists subscriptions_change_pending;
create index concurrently subscriptions_change_pending on subscriptions (environment_id, id) where pending_change is not null;
set lock_timeout = '1s';
