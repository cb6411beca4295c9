-- The metered prices of a plan version, and the commitment to them (ADR 58). Most plans have none.
--
-- Stepping back: archive plans that have metered prices. An earlier build sells them without.

-- +goose Up
alter table plans add column metered jsonb;
alter table plans add constraint plans_metered check (jsonb_typeof(metered) = 'object') not valid;
