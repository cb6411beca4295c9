-- How invoice numbers are shown: a prefix and a least number of digits. The number itself stays a gapless count.

-- +goose Up
alter table environments
    add column invoice_number_prefix text not null default ''
        constraint environments_invoice_number_prefix check (invoice_number_prefix ~ '^([A-Za-z0-9/._-]{0,19}[A-Za-z/._-])?$'),
    add column invoice_number_digits integer not null default 0
        constraint environments_invoice_number_digits check (invoice_number_digits between 0 and 12);

-- As it was shown at issue. Null: the number alone, as builds from before write it.
alter table invoices add column number_text text;
create trigger guard_invoice_number_text before update on invoices for each row
    when (new.number_text is distinct from old.number_text) execute function guard_invoice_taxes();

alter table setting_changes drop constraint setting_changes_field_check;
alter table setting_changes add constraint setting_changes_field_check
    check (field in ('dunning', 'past_due_billing', 'renewal_reminder_days', 'invoice_numbers'));
