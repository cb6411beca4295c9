-- The items of a subscription, which a reader finds by it: a price may be that of several of them, all but one ended.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists subscription_items_of;
create index concurrently subscription_items_of on subscription_items (environment_id, subscription_id)
    where ended_at is null;
set lock_timeout = '1s';
