-- Subscriptions can be paused, and a plan says what the end of a trial leads to without a payment method (ADR 46).
--
-- Stepping back: it refuses to open a period of a paused subscription, and does not resume one at its `resumesAt`. Resume them first; the present
--   build finds those whose date has passed.

-- +goose Up
-- Rows from before satisfy each constraint, so that none need be read. Binaries of the version before refuse to open a period
-- of a paused subscription, and leave the columns as they are.
alter table subscriptions
    drop constraint subscriptions_status_check,
    drop constraint subscriptions_next_action_check,
    add column paused_at timestamptz,
    add column resumes_at timestamptz, -- null: a command ends the pause, or a payment method where the trial ended without one
    add column pause_reason text,
    add constraint subscriptions_status_check
        check (status in ('trialing', 'active', 'past_due', 'paused', 'canceled')) not valid,
    add constraint subscriptions_next_action_check check (next_action in ('begin', 'trial_notice', 'trial_end',
        'renewal_reminder', 'renewal', 'cancel', 'payment_retry', 'invoice_overdue', 'past_due_cancel', 'resume', 'none')) not valid,
    add constraint subscriptions_paused check ((status = 'paused') = (paused_at is not null)) not valid,
    add constraint subscriptions_pause_reason check (
        (pause_reason is null) = (paused_at is null) and pause_reason in ('requested', 'no_payment_method')) not valid,
    add constraint subscriptions_resumes_at check (resumes_at is null or paused_at is not null) not valid;

-- Null begins the first period, as before.
alter table plans add column trial_end_behavior text
    constraint plans_trial_end_behavior check (trial_end_behavior in ('invoice', 'cancel', 'pause'));
