-- A renewal that asks the payer is announced beforehand.

-- +goose Up
alter table environments add column renewal_reminder_days integer not null default 1 check (renewal_reminder_days between 0 and 28);

-- The start of the period whose renewal was announced; null: none was.
alter table subscriptions add column reminded_for timestamptz;
alter table subscriptions drop constraint subscriptions_next_action_check;
alter table subscriptions add constraint subscriptions_next_action_check check (next_action in
    ('begin', 'trial_notice', 'trial_end', 'renewal_reminder', 'renewal', 'cancel', 'payment_retry', 'past_due_cancel', 'none'));
