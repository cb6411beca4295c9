-- The times in which metered prices counted, and the usage charges of each invoice (ADR 58).
--
-- Stepping back: it renews and cancels without closing segments, and issues drafts that wait for usage without it: that usage is never
--   billed. Do not, once a subscription has metered prices.

-- +goose Up
alter table subscriptions
    add column metered_since timestamptz,     -- the start of the open segment; null: no metered price counts
    add column late_usage_until timestamptz,  -- the time until which records of closed segments may come; null: none may
    drop constraint subscriptions_next_action_check,
    add constraint subscriptions_next_action_check check (next_action in ('begin', 'trial_notice', 'trial_end',
        'renewal_reminder', 'scheduled_change', 'renewal', 'cancel', 'payment_retry', 'invoice_overdue', 'finalize_invoice',
        'bill_usage', 'past_due_cancel', 'resume', 'none')) not valid;
alter table invoices
    add column usage_until timestamptz, -- the time up to which it bills usage of closed segments; null: it bills none
    drop constraint invoices_reason_check,
    add constraint invoices_reason_check check (reason in ('subscription_create', 'subscription_cycle', 'subscription_update',
        'subscription_recovery', 'subscription_usage', 'manual')) not valid;
alter table invoice_lines
    drop constraint invoice_lines_kind_check,
    add constraint invoice_lines_kind_check
        check (kind in ('recurring', 'proration_credit', 'proration_charge', 'one_off', 'usage')) not valid,
    drop constraint invoice_lines_quantity,
    add constraint invoice_lines_quantity check (quantity ~ '^-?\d+(\.\d+)?$' and unit_price ~ '^\d+(\.\d+)?$') not valid;

create table usage_segments (
    environment_id  text        not null,
    subscription_id text        not null,
    started_at      timestamptz not null,
    ended_at        timestamptz not null,
    period_index    integer     not null,
    plan_id         text        not null, -- the version of the plan whose prices counted
    -- The part of the period, in units of its measure.
    share_from      bigint      not null,
    share_to        bigint      not null,
    share_length    bigint      not null,
    share_measure   text        not null,
    period_seconds  bigint      not null, -- the length of the whole period
    discounts       jsonb,                -- the coupons of the subscription then; null: none
    primary key (environment_id, subscription_id, started_at),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id),
    foreign key (environment_id, plan_id) references plans (environment_id, id),
    constraint usage_segments_time check (started_at < ended_at)
);

-- The charge of an invoice for a key: a price, a segment, a rate and, for a rate with separate dimensions, their
-- values. A later invoice bills the amount owed by then, less the sum of these.
create table usage_charges (
    environment_id  text        not null,
    subscription_id text        not null,
    invoice_id      text        not null,
    segment_start   timestamptz not null,
    price_id        text        not null,
    rate            integer     not null,
    dimension       text        not null, -- '': the rate separates none
    quantity        numeric     not null, -- below zero: a correction
    amount          bigint      not null,
    primary key (environment_id, subscription_id, segment_start, price_id, rate, dimension, invoice_id),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id) deferrable initially deferred
);
create index usage_charges_of_invoice on usage_charges (environment_id, invoice_id);

