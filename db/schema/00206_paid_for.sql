-- What a customer has paid for while a change of the subscription is not paid: docs/adr/0084-money-that-does-not-come.md. Null: the present
-- plan and add-ons.
--
-- Stepping back: builds from before give access by the plan that is not paid for, and keep the column as it is. Before the present build is back,
--   `update subscriptions set paid_for = null where paid_for is not null`: changes may have been paid meanwhile.

-- +goose Up
alter table subscriptions add column paid_for jsonb;
