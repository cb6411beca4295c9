-- The erasure of usage continues after the last handled record. Keys in states are hashed with a salt of their
-- customer, which the erasure deletes, so that no guess can identify the customer afterwards. Earlier customers have no
-- salt: their states were created without.

-- +goose Up
alter table erasures add column usage_after text;
alter table customers add column usage_salt bytea;
alter table customers alter column usage_salt set default uuid_send(gen_random_uuid());
