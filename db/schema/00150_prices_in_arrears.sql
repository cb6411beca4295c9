-- Prices of a plan that are billed after each period, like usage, and the parts of a subscription that counted in a
-- segment: the quantity of its plan, and its add-ons with theirs (ADR 75).
--
-- Stepping back: it bills prices in arrears in advance, and no usage of add-ons. Do not, once a plan has a price in arrears or an add-on
--   with metered prices is sold.

-- +goose Up
alter table prices add column arrears boolean not null default false;
alter table usage_segments
    add column quantity bigint, -- of the plan; null: a segment from before prices counted it
    add column add_ons jsonb;   -- null: none
