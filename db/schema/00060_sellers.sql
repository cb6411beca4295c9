-- Sellers: an environment's details, and their copy on an invoice at issue.

-- +goose Up
alter table environments add column seller jsonb; -- null: none
alter table invoices add column seller jsonb; -- null: none, or issued by a build from before
create trigger guard_invoice_seller before update on invoices for each row
    when (new.seller is distinct from old.seller) execute function guard_invoice_taxes();

alter table setting_changes drop constraint setting_changes_field_check;
alter table setting_changes add constraint setting_changes_field_check
    check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days', 'invoice_numbers', 'seller'));
