-- The interval of a subscription's plan where an add-on has a shorter one, by which the subscription counts (ADR 87); null: the plan's.
--
-- Stepping back: it bills a plan of a longer interval again with each period. Remove such add-ons first.

-- +goose Up
alter table subscriptions
    add column plan_interval_unit text check (plan_interval_unit in ('day', 'week', 'month', 'year')),
    add column plan_interval_count integer check (plan_interval_count > 0);
