-- Invoices that a canceled subscription left open to be paid are announced as overdue, as manual ones are (ADR 47).
--
-- Stepping back: it announces no invoice as overdue that a canceled subscription left. The present build does so then.

-- +goose NO TRANSACTION
-- +goose Up
-- Building it waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists invoices_due_after_the_end;
create index concurrently invoices_due_after_the_end on invoices (due_at)
    where subscription_id is not null and status = 'open' and phase = 'closed' and overdue_at is null and due_at is not null;
set lock_timeout = '1s'; -- as db.Migrate has it
