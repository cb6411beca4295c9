-- A customer may have a dunning policy, which takes the place of the plan's and of the environment's. Null: none.
--
-- Stepping back: builds from before collect from such customers by the policy of the plan or the environment.

-- +goose Up
alter table customers add column dunning jsonb;
alter table customers add constraint customers_dunning check (jsonb_typeof(dunning) = 'object') not valid;
