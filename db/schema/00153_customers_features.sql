-- A customer may have its own features, which replace those of plans, and a publishable key may request access.
--
-- Stepping back: builds from before answer by the features of plans alone, and count no usage. Revoke publishable keys
--   with the scope access: they may do what all of them may.

-- +goose Up
alter table customers add column features jsonb; -- null: none
alter table customers add constraint customers_features check (jsonb_typeof(features) = 'array') not valid;
alter table api_keys
    drop constraint api_keys_scopes_check,
    add constraint api_keys_scopes_check
        check (scopes <@ array ['read', 'webhooks', 'access', '*'] and cardinality(scopes) > 0) not valid;
