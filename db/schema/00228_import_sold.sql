-- An import takes what is sold too: products, tax rates, metrics, plans and coupons (ADR 86), all with an empty customer_id.
--
-- Stepping back: it leaves records of these types out of an import, and keeps these rows.

-- +goose Up
alter table imported_records drop constraint imported_records_type;
alter table imported_records add constraint imported_records_type
    check (type in ('settings', 'customer', 'payment_method', 'balance', 'credit_grant', 'subscription', 'webhook_endpoint',
        'product', 'tax_rate', 'metric', 'plan', 'coupon')) not valid;
