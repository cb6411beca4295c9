-- Which period of a subscription was billed though it cost nothing (ADR 32): no invoice shows it, and a change within it is
-- charged at once, also in past due.
--
-- Stepping back: builds from before charge a change within a past-due period that costs nothing from the recovery on.

-- +goose Up
alter table subscriptions add column free_index integer; -- null: none, or a build from before opened the period
