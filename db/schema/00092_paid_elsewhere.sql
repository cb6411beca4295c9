-- A period that was paid in the system that a subscription was imported from has no invoice here that a change within it
-- could credit (ADR 53).

-- +goose Up
-- The index of that period; null: there is none. Binaries of the version before leave it null and as it is.
alter table subscriptions add column paid_elsewhere_index integer;
