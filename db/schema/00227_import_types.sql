-- An import takes payment methods, credit grants, settings and webhook endpoints too (ADR 86). The last two are of no customer:
-- their customer_id is empty.
--
-- Stepping back: it leaves records of these types out of an import, and keeps these rows.

-- +goose Up
alter table imported_records drop constraint imported_records_type_check;
alter table imported_records add constraint imported_records_type
    check (type in ('settings', 'customer', 'payment_method', 'balance', 'credit_grant', 'subscription', 'webhook_endpoint')) not valid;
