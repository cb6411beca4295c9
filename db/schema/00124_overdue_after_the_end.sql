-- Invoices that a canceled subscription left open to be paid are announced as overdue, as manual ones are (ADR 47).
--
-- Stepping back: it announces no invoice as overdue that a canceled subscription left. The present build does so then.

-- +goose Up
create index invoices_due_after_the_end on invoices (due_at)
    where subscription_id is not null and status = 'open' and phase = 'closed' and overdue_at is null and due_at is not null;
