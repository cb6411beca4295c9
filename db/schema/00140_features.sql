-- What the subscribers of a plan or an add-on may use, in all of its versions. Null: nothing is said.
--
-- Stepping back: nothing answers about features; they stay.

-- +goose Up
alter table plans add column features jsonb;
alter table plans add constraint plans_features check (jsonb_typeof(features) = 'array') not valid;
