-- Add-ons are plans that are sold beside another one (ADR 49): so they have versions, prices, products and catalogue keys.
--
-- Stepping back: it bills a period without its add-ons, and keeps them beside a plan of another interval. Do not step back once a
--   subscription has one.

-- +goose Up
alter table plans add column add_on boolean not null default false; -- the same in all versions of a plan

-- A version that a build from before makes is of an add-on where the first is.
-- +goose StatementBegin
create or replace function plans_follow_first() returns trigger language plpgsql as $$
begin
    select f.catalog_key, f.product_id, f.add_on into new.catalog_key, new.product_id, new.add_on
    from plans f where f.environment_id = new.environment_id and f.id = split_part(new.id, '.', 1);
    new.add_on := coalesce(new.add_on, false); -- where there is no first one
    return new;
end $$;
-- +goose StatementEnd

-- Decisions about a subscription read its row anyway: a table of its own would cost each renewal a statement.
alter table subscriptions
    add column add_on_ids text[] not null default '{}', -- ids of versions, as plan_id is one
    add column add_on_quantities bigint[] not null default '{}',
    add column pending_add_on_ids text[], -- from the next period on; null: they stay
    add column pending_add_on_quantities bigint[],
    add constraint subscriptions_add_ons check (
        cardinality(add_on_ids) = cardinality(add_on_quantities) and 0 < all (add_on_quantities)
        and (pending_add_on_ids is null) = (pending_add_on_quantities is null)
        and cardinality(pending_add_on_ids) = cardinality(pending_add_on_quantities)
        and 0 < all (pending_add_on_quantities)) not valid;
