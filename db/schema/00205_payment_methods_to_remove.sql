-- The payment methods that providers are to remove, and the cards whose expiry is to be announced, for the reconciler.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists payment_methods_to_remove;
create index concurrently payment_methods_to_remove on payment_methods (removal_due_at) where removal_due_at is not null;
drop index concurrently if exists payment_methods_to_announce;
create index concurrently payment_methods_to_announce on payment_methods (notice_due_at)
    where notice_due_at is not null and removed_at is null;
set lock_timeout = '1s';
