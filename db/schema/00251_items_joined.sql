-- With which period of its subscription an item joined (ADR 87): what was given up before, or paid in another system, bills
-- none of it.
--
-- Stepping back: builds from before write 0, and take an own period of such an item for billed.

-- +goose Up
alter table subscription_items add column joined integer not null default 0; -- 0: with the first period, or not known
