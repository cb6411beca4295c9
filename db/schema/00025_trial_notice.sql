-- The end of a trial is announced beforehand.

-- +goose Up
-- When the end of the trial will be announced; null: it was, or there is no trial. A trial that exists and ends later
-- than in three days is announced too: the reconciler wakes late ones.
alter table subscriptions add column trial_notice_at timestamptz check (trial_notice_at is null or status = 'trialing');
alter table subscriptions drop constraint subscriptions_next_action_check;
alter table subscriptions add constraint subscriptions_next_action_check check (next_action in
    ('begin', 'trial_notice', 'trial_end', 'renewal', 'cancel', 'payment_retry', 'past_due_cancel', 'none'));
update subscriptions
set trial_notice_at = trial_ends_at - interval '3 days', next_action = 'trial_notice',
    next_action_at = trial_ends_at - interval '3 days', revision = revision + 1
where status = 'trialing' and trial_ends_at > current_timestamp + interval '3 days';
