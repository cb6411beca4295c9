-- Taxes: the rates of an environment, the tax rates of a customer, and the taxes of an invoice as they were at issue.

-- +goose Up
create table tax_rates (
    id             text        not null,
    environment_id text        not null references environments,
    position       bigint      not null,
    name           text        not null check (name <> ''),
    percent        text        not null check (percent ~ '^\d+(\.\d+)?$'), -- a decimal
    inclusive      boolean     not null,
    country        text        check (country ~ '^[A-Z]{2}$'), -- null: everywhere
    region         text        check (region ~ '^[A-Z0-9]{1,3}$'), -- null: all of the country
    valid_from     timestamptz,
    valid_until    timestamptz,
    archived_at    timestamptz,
    created_at     timestamptz not null,
    primary key (environment_id, id),
    check (region is null or country is not null),
    check (valid_from < valid_until)
);
create trigger tax_rates_take_position before insert on tax_rates for each row execute function take_position();
create unique index tax_rates_position on tax_rates (environment_id, position);
-- For decisions about a subscription.
create index tax_rates_offered on tax_rates (environment_id, country) where archived_at is null;

-- Lines that were billed with a rate stay as they were.
-- +goose StatementBegin
create function guard_tax_rate() returns trigger language plpgsql as $$
begin
    if (new.environment_id, new.id, new.percent, new.inclusive, new.country, new.region, new.valid_from, new.valid_until, new.created_at)
        is distinct from (old.environment_id, old.id, old.percent, old.inclusive, old.country, old.region, old.valid_from, old.valid_until, old.created_at) then
        raise exception 'tax rate %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_tax_rate before update on tax_rates for each row execute function guard_tax_rate();

-- The view's definition as it is, so that the order of migrations that add to it does not matter.
-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from tax_rates';
end $$;
-- +goose StatementEnd

-- A tax id may name a person, and a region says where one lives: an erasure takes both.
alter table customers
    add column region text constraint customers_region check (region ~ '^[A-Z0-9]{1,3}$'),
    add column tax_exempt text constraint customers_tax_exempt check (tax_exempt in ('exempt', 'reverse')), -- null: none
    add column tax_ids jsonb,
    add constraint customers_taxes_erased check (erased_at is null or num_nonnulls(region, tax_ids) = 0);

-- Builds from before write none of these: their invoices are not taxed. Total = sum of the lines + tax.
alter table invoices
    add column tax bigint not null default 0, -- added to the lines
    add column taxes jsonb, -- by rate, with percent, base and amount; null: none
    add column tax_exempt text constraint invoices_tax_exempt check (tax_exempt in ('exempt', 'reverse')); -- the customer's at issue
-- The ids of the rates on the line, which are in invoices.taxes. Null: none.
alter table invoice_lines add column tax_rates text[];

-- +goose StatementBegin
create function guard_invoice_taxes() returns trigger language plpgsql as $$
begin
    raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
end $$;
-- +goose StatementEnd
create trigger guard_invoice_taxes before update on invoices for each row
    when ((new.tax, new.taxes, new.tax_exempt) is distinct from (old.tax, old.taxes, old.tax_exempt))
    execute function guard_invoice_taxes();
