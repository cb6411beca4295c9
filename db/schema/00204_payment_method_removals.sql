-- A removed payment method is removed at its provider too, where that can: docs/adr/0083-payment-methods.md. Until then its row keeps the
-- token, and nothing else. The expiry of a card is announced once, ahead of it.
--
-- Stepping back: builds from before remove nothing at providers and announce no expiry. The present build does both when it is back.

-- +goose Up
alter table payment_methods
    add column removal_due_at timestamptz, -- when the provider is asked to remove it; null: it need not
    add column removal_tries  integer not null default 0,
    add column notice_due_at  timestamptz, -- when the card's expiry is announced; null: it was, or is not known
    add column noticed_expiry integer; -- year * 100 + month of the expiry that was announced
-- Cards that are known from before the column are announced when they are changed: the table is days old.

-- +goose StatementBegin
create or replace function customers_keep_method() returns trigger language plpgsql as $$
begin
    if new.payment_method is not null then
        insert into payment_methods (environment_id, id, customer_id, type, details, created_at)
        values (new.environment_id, new.payment_method_id, new.id, new.payment_method, coalesce(new.payment_details, '{}'),
            case when tg_op = 'INSERT' then new.created_at else coalesce(
                (select c.now_at from test_clocks c where c.environment_id = new.environment_id and c.id = new.test_clock_id), now()) end)
        on conflict (environment_id, id) do update
        set type = excluded.type, details = excluded.details, brand = null, last_four = null, expires_year = null,
            expires_month = null, billing_name = null, notice_due_at = null, revision = payment_methods.revision + 1
        where (payment_methods.type, payment_methods.details) is distinct from (excluded.type, excluded.details);
    elsif new.erased_at is not null then
        update payment_methods
        set removed_at = new.erased_at, removal_due_at = case when details ? 'paymentMethodToken' then new.erased_at end,
            details = case when details ? 'paymentMethodToken' then details - 'phoneNumber' end,
            brand = null, last_four = null, expires_year = null, expires_month = null, billing_name = null, revision = revision + 1
        where environment_id = new.environment_id and customer_id = new.id and removed_at is null;
    elsif tg_op = 'UPDATE' then
        update payment_methods
        set removed_at = now(), removal_due_at = case when details ? 'paymentMethodToken' then now() end,
            details = case when details ? 'paymentMethodToken' then details - 'phoneNumber' end,
            brand = null, last_four = null, expires_year = null, expires_month = null, billing_name = null, revision = revision + 1
        where environment_id = new.environment_id and id = coalesce(old.payment_method_id, first_payment_method(new.id))
          and removed_at is null;
    end if;
    return null;
end $$;
-- +goose StatementEnd
