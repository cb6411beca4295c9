-- The proof about a payment in a callback: where a provider cannot be asked, its signed message is the answer.

-- +goose Up
alter table provider_callbacks
    add key text not null default '',     -- of the send, where the message carries it
    add evidence_outcome text,            -- payment.Outcome; null: the message proves nothing by itself
    add evidence_ref text,
    add evidence_amount bigint,           -- minor units; null: the message does not say
    add evidence_currency text,
    add evidence_failure_code text,
    add evidence_failure_reason text;     -- erasable
create index provider_callbacks_evidence on provider_callbacks (environment_id, transaction_id, received_at)
    where processed_at is null and evidence_outcome is not null;
