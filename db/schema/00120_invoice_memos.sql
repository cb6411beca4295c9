-- +goose Up
-- What a person writes on a manual invoice beside its lines, and notes of the caller's own. Both are erased with the customer.
alter table invoices
    add column memo text,
    add column metadata jsonb; -- null: none
