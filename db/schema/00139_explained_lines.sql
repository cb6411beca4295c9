-- How the amount of a line comes about, where it is not its quantity times its unit price: billing/invoice.Explanation.
--
-- Stepping back: it shows no explanations, and writes lines without them, also those that wait for an invoice.

-- +goose Up
alter table invoice_lines add column explanation jsonb;
