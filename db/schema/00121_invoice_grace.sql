-- The invoice of a renewal may be a draft for a while (ADR 62): it has no number yet, and its subscription waits for its grace.
--
-- Stepping back: it issues no draft of a subscription. Set `invoiceGraceMinutes` to 0 and finalize the drafts first; the present build issues
--   those whose grace has ended, and charges what a subscription has left that ended meanwhile only within a day after the grace.

-- +goose Up
-- No row breaks the constraints that are added, so that none need be read. A binary of the version before does not know drafts
-- of subscriptions: choose a grace once all processes are of this one.
alter table environments add column invoice_grace_minutes integer not null default 0
    constraint environments_invoice_grace check (invoice_grace_minutes between 0 and 10080);
alter table setting_changes
    drop constraint setting_changes_field_check,
    add constraint setting_changes_field_check check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days',
        'invoice_numbers', 'seller', 'proration_measure', 'invoice_grace_minutes')) not valid;
alter table invoices
    add column finalizes_at timestamptz, -- when the draft is issued automatically; kept from then on; null: it was none
    drop constraint invoices_draft,
    add constraint invoices_draft check (status <> 'draft' or (subscription_id is null) = (finalizes_at is null)) not valid;
alter table subscriptions
    drop constraint subscriptions_next_action_check,
    add constraint subscriptions_next_action_check check (next_action in ('begin', 'trial_notice', 'trial_end',
        'renewal_reminder', 'scheduled_change', 'renewal', 'cancel', 'payment_retry', 'invoice_overdue', 'finalize_invoice',
        'past_due_cancel', 'resume', 'none')) not valid;

-- For the locks of a decision about a subscription. The earlier index had open invoices only.
create index invoices_unsettled on invoices (environment_id, subscription_id, number) where status in ('open', 'draft');
drop index invoices_open;
