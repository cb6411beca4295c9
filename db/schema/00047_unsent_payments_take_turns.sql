-- Payments that no account has yet are listed for each environment, not all together: one environment's must not hide
-- another's. Lists of a build before this migration are slow until it is stopped.

-- +goose Up
drop index transactions_due;
create index transactions_due on transactions (coalesce(provider_config_id, environment_id), next_check_at, id)
    where status = 'pending' and parked_at is null;
