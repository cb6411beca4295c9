-- Apps administer their accounts at providers: which is the primary, the order of the backups, which is switched off,
-- and the result of the last connection test. Charging can be held, for an account and for an environment.

-- +goose Up
alter table provider_configs
    add priority           integer     not null default 100 check (priority between 0 and 1000), -- of backups, lowest first
    add disabled_at        timestamptz,
    add deleted_at         timestamptz, -- the row stays: payments refer to it, and refunds of them go through it
    add charging_paused_at timestamptz,
    add last_tested_at     timestamptz,
    add test_error         text check (test_error <> ''), -- for people; null: the last test passed, or there was none
    add next_test_at       timestamptz not null default now();
alter table provider_configs add constraint provider_configs_primary_usable
    check (not is_primary or (disabled_at is null and deleted_at is null));
create index provider_configs_next_test on provider_configs (next_test_at) where disabled_at is null and deleted_at is null;

alter table environments add charging_paused_at timestamptz;
