-- Charges whose payer is asked by a payment of its own, and what payers bring back.
-- Each statement is a transaction of its own: together, they would hold locks that payments and callbacks take in the other
-- order, and keep payments from being read while the index is built. Each may be repeated.

-- +goose NO TRANSACTION
-- +goose Up
-- The send whose requests, that in the payer's absence and the one that asks the payer, have references of their own. Null:
-- both have the same one, of builds from before this migration.
alter table transactions add column if not exists action_apart_send integer;

-- The proof in a message that counts only once the provider's reference of its transaction is known: it may be about
-- the request that was refused before the payer was asked.
alter table provider_callbacks add column if not exists evidence_needs_ref boolean not null default false;

-- Returns of payers that no provider was given yet. A worker from before 00048 that takes the signal of a return
-- ignores it. Building it waits for open transactions, and stops none. One that was interrupted left an index that is
-- not used.
set lock_timeout = 0;
drop index concurrently if exists transactions_brought;
create index concurrently transactions_brought on transactions (action_returned_at)
    where status = 'pending' and action_brought is not null and action_handed_at is null;
set lock_timeout = '1s'; -- as db.Migrate has it
