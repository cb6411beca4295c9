-- How changes within a period are prorated: by which measure of time, and when they are billed (ADR 45).

-- +goose Up
-- Null divides by the second.
alter table environments add column proration_measure text
    constraint environments_proration_measure check (proration_measure in ('second', 'day', 'day_inclusive', 'fixed_30'));
alter table plans add column proration_measure text -- null: the environment's
    constraint plans_proration_measure check (proration_measure in ('second', 'day', 'day_inclusive', 'fixed_30'));

alter table subscriptions
    -- Of the current period, from its start to its end. Null: the second, also where a build from before opened the period.
    add column proration_measure text,
    -- The index of a period whose bill is of other items, since a change within it was not prorated.
    add column unprorated_index integer,
    -- Lines that wait for the next invoice. They are no rows of their own, since billing has read this one anyway.
    -- Null: none.
    add column pending_lines jsonb,
    -- No row has a value yet, so that none need be read.
    add constraint subscriptions_proration_measure
        check (proration_measure in ('second', 'day', 'day_inclusive', 'fixed_30')) not valid,
    add constraint subscriptions_pending_lines check (jsonb_typeof(pending_lines) = 'array') not valid;

alter table setting_changes drop constraint setting_changes_field_check;
alter table setting_changes add constraint setting_changes_field_check
    check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days', 'invoice_numbers', 'seller', 'proration_measure'));
