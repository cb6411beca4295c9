-- Which subscriptions name a payment method is asked before it is removed.
--
-- Stepping back: nothing.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists subscriptions_payment_method;
create index concurrently subscriptions_payment_method on subscriptions (environment_id, payment_method_id)
    where payment_method_id is not null;
set lock_timeout = '1s';
