-- A policy for customers with several unpaid invoices (ADR 85): an environment has one, a customer may have one of its own, which takes
-- its place. customers.overdue is where the last decision found the customer: null: in no state.
--
-- Stepping back: builds from before let customers in who are denied access, and review no debts; the present build does with the next decision
--   about an invoice of theirs.

-- +goose Up
alter table environments
    add column overdue_policy jsonb, -- null: none
    add column overdue_sweep text, -- the customers up to this id follow a new policy; empty: none yet; null: all do
    add constraint environments_overdue_policy check (jsonb_typeof(overdue_policy) = 'object') not valid;
alter table customers
    add column overdue_policy jsonb, -- null: the environment's
    add column overdue jsonb,
    add column overdue_due_at timestamptz, -- when the customer is to be reviewed, in the customer's time; null: never
    add constraint customers_overdue_policy check (jsonb_typeof(overdue_policy) = 'object') not valid,
    add constraint customers_overdue check (jsonb_typeof(overdue) = 'object' and overdue ->> 'state' <> '') not valid;
alter table setting_changes
    drop constraint setting_changes_field_check,
    add constraint setting_changes_field_check check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days',
        'invoice_numbers', 'seller', 'proration_measure', 'invoice_grace_minutes', 'overdue_policy')) not valid;
