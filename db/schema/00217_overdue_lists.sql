-- The open invoices of a customer, the customers that are to be reviewed, and those in a state, for lists.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists invoices_owed;
create index concurrently invoices_owed on invoices (environment_id, customer_id) where status = 'open';
drop index concurrently if exists customers_to_review;
create index concurrently customers_to_review on customers (overdue_due_at) where overdue_due_at is not null and test_clock_id is null;
drop index concurrently if exists customers_to_review_on_clock;
create index concurrently customers_to_review_on_clock on customers (environment_id, test_clock_id, overdue_due_at)
    where overdue_due_at is not null and test_clock_id is not null;
drop index concurrently if exists customers_overdue;
create index concurrently customers_overdue on customers (environment_id, (overdue ->> 'state'), position) where overdue is not null;
set lock_timeout = '1s';
