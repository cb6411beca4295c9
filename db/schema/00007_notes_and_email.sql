-- Metadata is kept to the letter, and customers are found by their e-mail address.

-- +goose Up
-- json keeps a number as it was written (1.50, 1e-7), where jsonb would rewrite it. Nothing ever looks inside.
alter table customers drop constraint customers_check;
alter table customers alter column metadata type json using metadata::json;
alter table customers add constraint customers_erased check (
    erased_at is null or (metadata::text = '{}' and num_nonnulls(email, name, phone, payment_method, payment_details) = 0));
alter table plans alter column metadata type json using metadata::json;
alter table subscriptions alter column metadata type json using metadata::json;

create index customers_email on customers (environment_id, email, id desc) where email is not null;
