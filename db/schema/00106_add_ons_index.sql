-- Subscriptions by their add-ons: of those that have one, so that the index costs a renewal without add-ons nothing. It
-- is built concurrently with transactions. One that was interrupted left an index that is not used.

-- +goose NO TRANSACTION
-- +goose Up
set lock_timeout = 0;
drop index concurrently if exists subscriptions_add_ons;
create index concurrently subscriptions_add_ons on subscriptions using gin (add_on_ids) where add_on_ids <> '{}';
set lock_timeout = '1s'; -- as db.Migrate has it
