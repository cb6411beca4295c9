-- A provider account that was silent and answers again: the payments that it left undecided are looked up at once. The
-- days of the renewal reminder are a setting that apps change.

-- +goose Up
alter table provider_breakers
    add silent_since timestamptz, -- null: the last exchange of any kind was answered
    add recovered_at timestamptz, -- when it answered again; null once what was undecided has been woken
    add constraint provider_breakers_recovered check (recovered_at is null or silent_since is not null);
create index provider_breakers_silent on provider_breakers (silent_since) where silent_since is not null;

alter table setting_changes drop constraint setting_changes_field_check;
alter table setting_changes add constraint setting_changes_field_check
    check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days'));
