-- Thresholds of usage (ADR 58): those of one subscription, the reached ones of a period, and the subscriptions to
-- check.
--
-- Stepping back: no threshold is announced and none bills meanwhile. The build after it announces what is still reached then.

-- +goose Up
alter table subscriptions add column usage_thresholds jsonb; -- replace those of its plan; null: the plan's apply
alter table subscriptions add constraint subscriptions_usage_thresholds check (jsonb_typeof(usage_thresholds) = 'array') not valid;

create table usage_crossings (
    environment_id  text        not null,
    subscription_id text        not null,
    period_index    integer     not null,
    threshold       text        not null, -- metered.Threshold.Key: the same in all versions of a plan
    crossed_at      timestamptz not null,
    invoice_id      text,                 -- bills the usage so far; null: none
    primary key (environment_id, subscription_id, period_index, threshold),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id),
    foreign key (environment_id, invoice_id) references invoices (environment_id, id) deferrable initially deferred
);
create index usage_crossings_of_invoice on usage_crossings (environment_id, invoice_id) where invoice_id is not null;

-- Subscriptions with thresholds whose records were merged, until their thresholds are checked.
create table usage_touched (
    environment_id  text        not null,
    subscription_id text        not null,
    touched_at      timestamptz not null,
    primary key (environment_id, subscription_id)
);
create index usage_touched_by_time on usage_touched (touched_at);
