-- A subscription may name the payment method that it is charged with. Null: the customer's default.
--
-- Stepping back: builds from before charge the customer's default instead, and keep what a subscription names.

-- +goose Up
alter table subscriptions
    add column payment_method_id text,
    add constraint subscriptions_payment_method foreign key (environment_id, payment_method_id)
        references payment_methods (environment_id, id) not valid;
