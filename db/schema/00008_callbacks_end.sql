-- Messages from providers are not kept for ever: one that no transaction claims is given up after a day, and processed
-- ones are deleted after a time.

-- +goose Up
-- A payment's recording asks for messages that name it by the provider's reference only, and a shared account sends
-- many that belong to no payment.
create index provider_callbacks_unclaimed on provider_callbacks (provider_config_id, provider_ref)
    where processed_at is null and transaction_id is null;
create index provider_callbacks_told on provider_callbacks (received_at)
    where processed_at is null and transaction_id is not null;
create index provider_callbacks_age on provider_callbacks (received_at) where processed_at is not null;
