-- A price may be charged once, as a fee on the first invoice of a subscription.

-- +goose Up
alter table prices add column once boolean not null default false;
alter table invoice_lines drop constraint invoice_lines_kind_check;
alter table invoice_lines add constraint invoice_lines_kind_check
    check (kind in ('recurring', 'proration_credit', 'proration_charge', 'one_off')) not valid;
