-- Payment methods of a customer, several and one of them the default: docs/adr/0083-payment-methods.md. The columns of the customer's
-- one method stay the truth of the default, so that builds from before charge it and replace it; triggers keep its row in step.
--
-- Stepping back: builds from before know the default alone. What they write becomes the default method's; the others stay as they are.

-- +goose Up
create table payment_methods (
    id             text        not null,
    environment_id text        not null references environments,
    position       bigint      not null,
    customer_id    text        not null,
    type           text        not null check (type <> ''), -- card or mobile_money_<operator>
    details        jsonb, -- the provider's tokens or the phone number; erasable; null: removed
    brand          text        check (brand <> ''),
    last_four      text        check (last_four ~ '^[0-9]{4}$'),
    expires_year   integer     check (expires_year between 2000 and 2199), -- of a card, which is good until the end of the month
    expires_month  integer     check (expires_month between 1 and 12),
    billing_name   text        check (billing_name <> ''), -- erasable
    removed_at     timestamptz,
    revision       bigint      not null default 1,
    created_at     timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id, customer_id) references customers (environment_id, id),
    constraint payment_methods_expiry check ((expires_year is null) = (expires_month is null)),
    constraint payment_methods_details check (removed_at is not null or details is not null),
    constraint payment_methods_removed check (removed_at is null
        or num_nonnulls(brand, last_four, expires_year, expires_month, billing_name) = 0)
);
create trigger payment_methods_take_position before insert on payment_methods for each row execute function take_position();
create unique index payment_methods_position on payment_methods (environment_id, position);
create index payment_methods_customer on payment_methods (environment_id, customer_id, position) where removed_at is null;
-- Whether another payment method has the same token is asked before that is removed at the provider.
create index payment_methods_token on payment_methods (environment_id, (details ->> 'paymentMethodToken')) where removed_at is null;

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from payment_methods';
end $$;
-- +goose StatementEnd

-- The customer's default. Null with a payment method: the first one, whose id follows from the customer's.
alter table customers add column payment_method_id text;

-- The id of the first payment method of a customer.
-- +goose StatementBegin
create function first_payment_method(customer_id text) returns text language sql immutable as $$
    select 'pm_' || substr(customer_id, 6)
$$;
-- +goose StatementEnd

-- An id as the program makes them: 48 bits of milliseconds and 80 random bits in Crockford's base 32.
-- +goose StatementBegin
create function new_payment_method() returns text language plpgsql as $$
declare
    random constant text := replace(gen_random_uuid()::text, '-', '');
    bits constant bit varying := B'00' || (extract(epoch from clock_timestamp()) * 1000)::bigint::bit(48)
        || ('x' || substr(random, 1, 12) || substr(random, 25, 8))::bit(80); -- without the fixed bits of a UUID
    made text := 'pm_';
begin
    for i in 0..25 loop
        made := made || substr('0123456789abcdefghjkmnpqrstvwxyz', 1 + substring(bits from 1 + 5 * i for 5)::bit(5)::integer, 1);
    end loop;
    return made;
end $$;
-- +goose StatementEnd

-- Names the default of a customer whose writer did not: a build from before, or an import.
-- +goose StatementBegin
create function customers_name_method() returns trigger language plpgsql as $$
begin
    if new.payment_method is null then
        new.payment_method_id := null;
    elsif new.payment_method_id is null then
        new.payment_method_id := case
            when tg_op = 'INSERT' then first_payment_method(new.id)
            when old.payment_method is not null then coalesce(old.payment_method_id, first_payment_method(new.id))
            else new_payment_method() end;
    end if;
    return new;
end $$;
-- +goose StatementEnd
create trigger customers_name_method before insert or update of payment_method, payment_details, payment_method_id on customers
    for each row execute function customers_name_method();

-- Keeps the default's row equal to the customer's columns. Another token is another card: what was known of the former is gone.
-- +goose StatementBegin
create function customers_keep_method() returns trigger language plpgsql as $$
begin
    if new.payment_method is not null then
        insert into payment_methods (environment_id, id, customer_id, type, details, created_at)
        values (new.environment_id, new.payment_method_id, new.id, new.payment_method, coalesce(new.payment_details, '{}'),
            case when tg_op = 'INSERT' then new.created_at else coalesce(
                (select c.now_at from test_clocks c where c.environment_id = new.environment_id and c.id = new.test_clock_id), now()) end)
        on conflict (environment_id, id) do update
        set type = excluded.type, details = excluded.details, brand = null, last_four = null, expires_year = null,
            expires_month = null, billing_name = null, revision = payment_methods.revision + 1
        where (payment_methods.type, payment_methods.details) is distinct from (excluded.type, excluded.details);
    elsif new.erased_at is not null then
        update payment_methods
        set removed_at = now(), details = null, brand = null, last_four = null, expires_year = null, expires_month = null,
            billing_name = null, revision = revision + 1
        where environment_id = new.environment_id and customer_id = new.id and removed_at is null;
    elsif tg_op = 'UPDATE' then
        update payment_methods
        set removed_at = now(), details = null, brand = null, last_four = null, expires_year = null, expires_month = null,
            billing_name = null, revision = revision + 1
        where environment_id = new.environment_id and id = coalesce(old.payment_method_id, first_payment_method(new.id))
          and removed_at is null;
    end if;
    return null;
end $$;
-- +goose StatementEnd
create trigger customers_keep_new_method after insert on customers
    for each row when (new.payment_method is not null) execute function customers_keep_method();
create trigger customers_keep_method after update on customers
    for each row when ((old.payment_method, old.payment_details, old.payment_method_id, old.erased_at)
        is distinct from (new.payment_method, new.payment_details, new.payment_method_id, new.erased_at))
    execute function customers_keep_method();

-- What a charge was made with. Null: by a build from before, or without a payment method.
alter table transactions add column payment_method_id text;
