-- An e-mail address is found however it is capitalised.

-- +goose Up
drop index customers_email;
create index customers_email on customers (environment_id, lower(email), position) where email is not null;
