-- The customers in a state that asks for a person, for lists.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists customers_needing_person;
create index concurrently customers_needing_person on customers (environment_id, position)
    where overdue -> 'needsPerson' = 'true'::jsonb;
set lock_timeout = '1s';
