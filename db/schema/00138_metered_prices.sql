-- What usage costs under a version of a plan (ADR 58): its metered prices and the commitment to them. Most plans have none.
--
-- Stepping back: archive plans that have metered prices. An earlier build sells them without.

-- +goose Up
alter table plans add column metered jsonb;
alter table plans add constraint plans_metered check (jsonb_typeof(metered) = 'object') not valid;
