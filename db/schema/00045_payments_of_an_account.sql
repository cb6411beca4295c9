-- The list of an account's payments is read along an index, as every list is (00010).

-- +goose Up
create index transactions_account on transactions (environment_id, provider_config_id, position) where provider_config_id is not null;
