-- +goose Up
-- A person's text on a manual invoice in addition to its lines, and notes of the caller's own. Both are erased with the
-- customer.
alter table invoices
    add column memo text,
    add column metadata jsonb; -- null: none
