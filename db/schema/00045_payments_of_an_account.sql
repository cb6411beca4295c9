-- The list of an account's payments costs what it returns, as every list does (00010).

-- +goose Up
create index transactions_account on transactions (environment_id, provider_config_id, position) where provider_config_id is not null;
