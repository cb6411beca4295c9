-- How a subscription's invoices are collected: charged automatically, or sent to the customer, who has some days (ADR 47).

-- +goose Up
-- No row breaks the constraints, so that none need be read.
alter table subscriptions
    add column collection_method text constraint subscriptions_collection_method
        check (collection_method in ('charge_automatically', 'send_invoice')), -- null: charged
    add column net_days integer not null default 0 constraint subscriptions_net_days check (net_days between 0 and 365),
    drop constraint subscriptions_next_action_check,
    add constraint subscriptions_next_action_check check (next_action in
        ('begin', 'trial_notice', 'trial_end', 'renewal_reminder', 'renewal', 'cancel', 'payment_retry', 'invoice_overdue',
         'past_due_cancel', 'none')) not valid;
