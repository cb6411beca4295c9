-- Coupons (ADR 41): the coupons, their redemptions by subscriptions, and the discounts of lines of invoices.

-- +goose Up
create table coupons (
    id              text        not null,
    environment_id  text        not null references environments,
    position        bigint      not null,
    code            text        not null check (code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$'),
    name            text        not null check (name <> ''),
    percent         text        check (percent ~ '^\d+(\.\d+)?$'), -- a decimal
    amount          bigint      check (amount > 0), -- minor units
    currency        char(3)     check (currency ~ '^[A-Z]{3}$'),
    duration        text        not null check (duration in ('once', 'repeating', 'forever')),
    periods         integer     check (periods > 0),
    plan_ids        text[], -- null: any plan
    max_redemptions integer     check (max_redemptions > 0), -- null: no bound
    redeemed        integer     not null default 0 check (redeemed >= 0),
    redeem_by       timestamptz,
    active          boolean     not null,
    created_at      timestamptz not null,
    primary key (environment_id, id),
    check (num_nonnulls(percent, amount) = 1),
    check ((amount is null) = (currency is null)),
    check ((duration = 'repeating') = (periods is not null)),
    constraint coupons_bounded check (redeemed <= max_redemptions)
);
create trigger coupons_take_position before insert on coupons for each row execute function take_position();
create unique index coupons_position on coupons (environment_id, position);
create unique index coupons_code on coupons (environment_id, lower(code));

-- Subscriptions keep the terms that they redeemed, and these stay as they were as well.
-- +goose StatementBegin
create function guard_coupon() returns trigger language plpgsql as $$
begin
    if (new.environment_id, new.id, new.code, new.percent, new.amount, new.currency, new.duration, new.periods, new.plan_ids, new.max_redemptions, new.created_at)
        is distinct from (old.environment_id, old.id, old.code, old.percent, old.amount, old.currency, old.duration, old.periods, old.plan_ids, old.max_redemptions, old.created_at) then
        raise exception 'coupon %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger guard_coupon before update on coupons for each row execute function guard_coupon();

-- The view's definition as it is, so that the order of migrations that add to it does not matter.
-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from coupons';
end $$;
-- +goose StatementEnd

-- Builds from before write none of these: they bill without coupons. Total = sum of the lines - discount + tax.
alter table subscriptions add column discounts jsonb; -- null: none
alter table invoices add column discount bigint not null default 0;
alter table invoice_lines add column discounts jsonb; -- by coupon; they sum to the invoice's discount; null: none
create trigger guard_invoice_discount before update on invoices for each row when (new.discount <> old.discount)
    execute function guard_invoice_taxes();
