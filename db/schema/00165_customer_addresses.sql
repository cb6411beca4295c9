-- Customers have a postal address, a language and a time zone, which documents show as they were at issue.
--
-- Stepping back: builds from before cannot delete a customer who has one of them, and issue invoices without them.

-- +goose Up
alter table customers
    add column address   jsonb, -- line1, line2, city, postalCode; null: none
    add column locale    text,  -- BCP 47
    add column time_zone text;  -- IANA
alter table customers add constraint customers_address check (jsonb_typeof(address) = 'object') not valid;
-- A build from before would leave them behind: its deletion fails instead.
alter table customers add constraint customers_address_erased
    check (erased_at is null or num_nonnulls(address, locale, time_zone) = 0) not valid;
