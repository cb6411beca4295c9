-- Coupons that have ended, but that lines of own periods which still run were billed with (ADR 87): a change of such an item
-- keeps them until that period ends.
--
-- Stepping back: builds from before charge the rest of such a period without them.

-- +goose Up
alter table subscriptions add column ended_discounts jsonb; -- as discounts
