-- Buyers: a customer's details as an invoice showed them at issue. Personal data, which a stage of the erasure takes.

-- +goose Up
alter table invoices add column buyer jsonb; -- null: issued by a build from before, or erased
create trigger guard_invoice_buyer before update on invoices for each row
    when (new.buyer is not null and new.buyer is distinct from old.buyer) execute function guard_invoice_taxes();

alter table erasures drop constraint erasures_stage_check;
alter table erasures add constraint erasures_stage_check
    check (stage in ('customers', 'subscriptions', 'invoices', 'transactions', 'events', 'responses', 'finished'));

-- An earlier build does not know the stage. It must not skip it: it fails there until a worker of this build continues.
-- A later migration removes this.
-- +goose StatementBegin
create function erase_invoices_too() returns trigger language plpgsql as $$
begin
    new.stage := 'invoices';
    new.after_position := 0;
    return new;
end $$;
-- +goose StatementEnd
create trigger erase_invoices_too before update on erasures for each row
    when (old.stage = 'subscriptions' and new.stage = 'transactions') execute function erase_invoices_too();
