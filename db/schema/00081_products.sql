-- Products group plans that sell one thing, at any price and interval. A plan has one product, the same in
-- all rows of its versions.

-- +goose Up
create table products (
    id             text        not null,
    environment_id text        not null references environments,
    position       bigint      not null,
    name           text        not null check (name <> ''),
    description    text        check (description <> ''),
    active         boolean     not null,
    metadata       jsonb       not null,
    created_at     timestamptz not null,
    primary key (environment_id, id)
);
create trigger products_take_position before insert on products for each row execute function take_position();
create unique index products_position on products (environment_id, position);
-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from products';
end $$;
-- +goose StatementEnd

alter table plans
    add column product_id text,
    add constraint plans_product_id_fkey foreign key (environment_id, product_id) references products (environment_id, id) not valid;
create index plans_product on plans (environment_id, product_id, position) where version = 1 and product_id is not null;

-- A version that a build from before makes has the plan's product too.
-- +goose StatementBegin
create or replace function plans_follow_first() returns trigger language plpgsql as $$
begin
    select f.catalog_key, f.product_id into new.catalog_key, new.product_id
    from plans f where f.environment_id = new.environment_id and f.id = split_part(new.id, '.', 1);
    return new;
end $$;
-- +goose StatementEnd
