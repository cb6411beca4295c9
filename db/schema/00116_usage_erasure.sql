-- The erasure of usage goes on behind the last record that it has handled. Keys in states are hashed with a salt of their
-- customer, which goes with the erasure, so that no guess tells afterwards whose they were. Customers from before have
-- none: their states were made without.

-- +goose Up
alter table erasures add column usage_after text;
alter table customers add column usage_salt bytea;
alter table customers alter column usage_salt set default uuid_send(gen_random_uuid());
