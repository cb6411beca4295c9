-- A plan may be sold in several currencies (ADR 59): each of its prices then has amounts in further ones, by their codes. The
-- other columns are those of the plan's own currency. Null: it is sold in no other.
--
-- Stepping back: it bills a plan's own amounts in place of a further currency's. Do not step back once a subscription has a further currency.

-- +goose Up
alter table prices add column currencies jsonb;
alter table prices add constraint prices_currencies check (jsonb_typeof(currencies) = 'object' and currencies <> '{}') not valid;
