-- The subject of a callback, so that one without news is skipped; and our own id in it where that transaction is
-- absent: a restored database has lost it.

-- +goose Up
alter table provider_callbacks
    add kind text not null default '', -- payment.MessageKind
    add lost_transaction_id text;      -- named by the message and unknown in any environment
create index provider_callbacks_lost on provider_callbacks (received_at)
    where processed_at is null and transaction_id is null and lost_transaction_id is not null;
