-- What messages said failed, by transaction: a refund that was sent twice after a restore has two operations under one
-- reference, and their messages come in any order.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists provider_callbacks_failed;
create index concurrently provider_callbacks_failed on provider_callbacks (environment_id, transaction_id)
    where evidence_outcome in ('failed', 'declined', 'canceled') and evidence_ref is not null;
set lock_timeout = '1s';
