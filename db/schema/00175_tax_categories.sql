-- What a tax authority taxes alike: products have a category, tax rates may be for one, and lines keep that of what they bill
-- (ADR 80). Customers may be taxed by hand where a rule would reverse the charge.
--
-- Stepping back: it taxes each line with the rates of all categories at once, and no customer who is `taxed` by hand. Archive the tax
--   rates that have a category first, and set such customers to `none`.

-- +goose Up
alter table products add column tax_category text;
alter table products add constraint products_tax_category check (tax_category ~ '^[a-z0-9][a-z0-9_-]{0,39}$') not valid;
alter table tax_rates add column tax_category text; -- null: of all lines whose category has no rate
alter table tax_rates add constraint tax_rates_tax_category check (tax_category ~ '^[a-z0-9][a-z0-9_-]{0,39}$') not valid;
alter table invoice_lines add column tax_category text; -- null: none, or written by a build from before
-- The product's, so that decisions about a subscription read no products.
alter table plans add column tax_category text;

-- A version that a build from before makes has the category too. It is that of the first version, which the
-- transaction has locked, not that of the product: a change of the product waits for its plans, so that waiting for the product
-- would be a deadlock.
-- +goose StatementBegin
create or replace function plans_follow_first() returns trigger language plpgsql as $$
begin
    select f.catalog_key, f.product_id, f.add_on, f.tax_category into new.catalog_key, new.product_id, new.add_on, new.tax_category
    from plans f where f.environment_id = new.environment_id and f.id = split_part(new.id, '.', 1);
    new.add_on := coalesce(new.add_on, false); -- where there is no first one
    return new;
end $$;
-- +goose StatementEnd

-- A plan that enters a product, or leaves one. The lock makes it wait for a change of the product's category, which would not
-- reach it otherwise.
-- +goose StatementBegin
create function plans_follow_product() returns trigger language plpgsql as $$
begin
    new.tax_category := (select p.tax_category from products p
                         where p.environment_id = new.environment_id and p.id = new.product_id for share);
    return new;
end $$;
-- +goose StatementEnd
create trigger plans_follow_product_new before insert on plans for each row
    when (position('.' in new.id) = 0) execute function plans_follow_product();
create trigger plans_follow_product before update of product_id on plans for each row
    when (new.product_id is distinct from old.product_id) execute function plans_follow_product();

-- The second statement finds the versions that were made while the first one waited for their plans.
-- +goose StatementBegin
create function products_copy_tax_category() returns trigger language plpgsql as $$
begin
    perform from plans f where f.environment_id = new.environment_id and f.product_id = new.id and f.version = 1
    order by f.id for no key update;
    update plans p set tax_category = new.tax_category
    from plans f
    where f.environment_id = new.environment_id and f.product_id = new.id and f.version = 1
      and p.environment_id = f.environment_id and p.plan_id = f.id;
    return null;
end $$;
-- +goose StatementEnd
create trigger products_copy_tax_category after update of tax_category on products for each row
    when (new.tax_category is distinct from old.tax_category) execute function products_copy_tax_category();

-- What was billed with a rate stays as it was.
-- +goose StatementBegin
create or replace function guard_tax_rate() returns trigger language plpgsql as $$
begin
    if (new.environment_id, new.id, new.percent, new.inclusive, new.country, new.region, new.valid_from, new.valid_until, new.stacks, new.tax_category, new.created_at)
        is distinct from (old.environment_id, old.id, old.percent, old.inclusive, old.country, old.region, old.valid_from, old.valid_until, old.stacks, old.tax_category, old.created_at) then
        raise exception 'tax rate %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd

alter table customers drop constraint customers_tax_exempt;
alter table customers add constraint customers_tax_exempt check (tax_exempt in ('exempt', 'reverse', 'taxed')) not valid;
