-- An item stays where another version of the plan repeats its price with another id, so that price_id may change. After
-- a change of plan and back, the price has an item of its own again, beside the ended one.
--
-- Stepping back: builds from before give the price of such an item another item, and do not credit what it was billed with the next change of the running period.

-- +goose Up
alter table subscription_items
    drop constraint subscription_items_environment_id_subscription_id_price_id_key;
