-- Callbacks of providers that cannot be asked prove refunds and disputes too. Payments of their own are woken safely.

-- +goose Up
-- The proof in the message about refunds and disputes of a charge; null: none. Ids and amounts, nothing personal.
alter table provider_callbacks add evidence_since jsonb check (jsonb_typeof(evidence_since) = 'object');

-- Since when, in real time, the workflow of a payment that no subscription's workflow serves must be signaled a
-- decision. The reconciler signals where it stays set, and clears it.
alter table transactions add wake_pending_since timestamptz;
create index transactions_wake_pending on transactions (wake_pending_since) where wake_pending_since is not null;
