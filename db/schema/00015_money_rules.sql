-- Amounts that no provider takes are carried, invoices can be given up, and a refund that failed stays owed.

-- +goose Up
-- Constraints without a name are found by their text, since their names depend on their order.
-- +goose StatementBegin
create function drop_check(of regclass, saying text) returns void language plpgsql as $$
declare
    found text;
begin
    select conname into strict found from pg_constraint
    where conrelid = of and contype = 'c' and pg_get_constraintdef(oid) like saying;
    execute format('alter table %s drop constraint %I', of, found);
end $$;
-- +goose StatementEnd

-- Too little to be charged is a debit, which a later invoice collects: it is brought forward there.
alter table invoices add column brought_forward bigint not null default 0 check (brought_forward >= 0);
alter table invoices add column carried_forward bigint not null default 0 check (carried_forward >= 0);
select drop_check('invoices', '%amount_due = (GREATEST%');
alter table invoices add constraint invoices_amount_due
    check (amount_due = greatest(total, 0) - credit_applied + brought_forward - carried_forward);
select drop_check('credit_balances', '%balance >= 0%');
select drop_check('credit_entries', '%balance_after >= 0%');
select drop_check('credit_entries', '%reason = ANY%');
alter table credit_entries add constraint credit_entries_reason check (reason in (
    'proration', 'applied', 'returned', 'carried_forward', 'brought_forward', 'refunded', 'refund_failed'));

-- Given up by a person; money that still arrives pays it.
alter table invoices add column uncollectible_at timestamptz;
select drop_check('invoices', '%status = ANY%');
alter table invoices add constraint invoices_status check (status in ('open', 'paid', 'void', 'uncollectible'));
alter table invoices add constraint invoices_uncollectible check (status <> 'uncollectible' or uncollectible_at is not null);
-- +goose StatementBegin
create or replace function guard_invoice() returns trigger language plpgsql as $$
begin
    if old.status <> 'open' and new.status <> old.status and not (old.status = 'uncollectible' and new.status = 'paid') then
        raise exception 'invoice % is % and cannot become %', old.id, old.status, new.status using errcode = 'PB005';
    end if;
    if (new.environment_id, new.id, new.number, new.customer_id, new.subscription_id, new.reason, new.currency, new.total, new.brought_forward, new.carried_forward, new.period_start, new.period_end, new.created_at)
        is distinct from (old.environment_id, old.id, old.number, old.customer_id, old.subscription_id, old.reason, old.currency, old.total, old.brought_forward, old.carried_forward, old.period_start, old.period_end, old.created_at) then
        raise exception 'invoice %: an immutable column was changed', old.id using errcode = 'PB002';
    end if;
    return new;
end $$;
-- +goose StatementEnd

-- Start of the period that the schedule opened last. A change of interval restarts the current one, and payments since
-- then still count for a refund. Null: that of the current period.
alter table subscriptions add column renewed_from timestamptz;

-- Of a charge: the amount that a failed refund did not give back.
alter table transactions add column refund_owed bigint not null default 0
    constraint transactions_refund_owed check (refund_owed >= 0 and refund_owed + amount_refunded <= amount);

drop function drop_check(regclass, text);
