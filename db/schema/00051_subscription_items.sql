-- A subscription has items: one for each price of its plan, with a quantity (ADR 36). Prices have models.
--
-- Stepping back: it bills a price of another model than `flat` as nothing. Do not step back once a plan has such a price.

-- +goose Up
alter table subscriptions
    add column quantity bigint not null default 1,
    add column pending_quantity bigint, -- from the next period on
    add constraint subscriptions_quantity check (quantity > 0 and pending_quantity > 0) not valid;

-- The parameters of a price other than its amount, by its model: unit price, tiers and so on. Null: a flat price.
alter table prices add column parameters jsonb;
alter table prices drop constraint prices_model_check;
alter table prices add constraint prices_model_check check (
    model in ('flat', 'per_unit', 'graduated', 'volume', 'package', 'tiered_flat') and (model = 'flat') = (parameters is null));

-- The rows of subscriptions from before are written with their next change, as are those of subscriptions that an
-- earlier build creates or changes: until then their items follow from plan and quantity.
create table subscription_items (
    environment_id  text        not null,
    id              text        not null, -- derived from subscription and price
    subscription_id text        not null,
    price_id        text        not null,
    position        integer     not null,
    quantity        bigint      not null check (quantity > 0),
    created_at      timestamptz not null,
    ended_at        timestamptz, -- the subscription has the price no longer
    primary key (environment_id, id),
    unique (environment_id, subscription_id, price_id),
    foreign key (environment_id, subscription_id) references subscriptions (environment_id, id),
    foreign key (environment_id, price_id) references prices (environment_id, id)
);
