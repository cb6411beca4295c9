-- Invoices that replace an overdue one keep the age of its debt: docs/adr/0085-overdue-policies.md.
--
-- Stepping back: builds from before let the debt of such an invoice begin anew.

-- +goose Up
alter table invoices add column owed_since timestamptz; -- of an invoice that replaces an overdue one: since when that was
