-- Subscriptions that end as soon as the only attempt of their first payment has failed: docs/adr/0084-money-that-does-not-come.md.
--
-- Stepping back: builds from before retry that payment for 23 hours, as with `paymentBehavior: pending`.

-- +goose Up
alter table subscriptions add column attempts_once boolean not null default false;
