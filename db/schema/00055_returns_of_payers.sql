-- Charges whose payer is asked by a payment of its own, and what payers bring back.

-- +goose Up
-- The send whose requests, that in the payer's absence and the one that asks the payer, have references of their own. Null:
-- both have the same one, of builds from before this migration.
alter table transactions add column action_apart_send integer;

-- What a message proves only once the provider's reference of its transaction is known: it may be about the request that was
-- refused before the payer was asked.
alter table provider_callbacks add column evidence_needs_ref boolean not null default false;

-- What payers brought back and no provider was given yet. A worker from before 00048 that takes the signal of a return lets
-- it lie.
create index transactions_brought on transactions (action_returned_at)
    where status = 'pending' and action_brought is not null and action_handed_at is null;
