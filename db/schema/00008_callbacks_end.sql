-- Messages from providers end: what no transaction claims is given up after a day, what is processed is deleted with age.

-- +goose Up
-- A payment's recording asks for messages that name it by the provider's reference only, and a shared account sends many
-- that are nobody's.
create index provider_callbacks_unclaimed on provider_callbacks (provider_config_id, provider_ref)
    where processed_at is null and transaction_id is null;
create index provider_callbacks_told on provider_callbacks (received_at)
    where processed_at is null and transaction_id is not null;
create index provider_callbacks_age on provider_callbacks (received_at) where processed_at is not null;
