-- Reports of a month find documents by the moment that decides their month: docs/adr/0082-months-end.md. Each statement is
-- a transaction of its own, and may be repeated.
--
-- Stepping back: an erasure takes the buyer's country too, so that reports of past months show those invoices under none.

-- +goose NO TRANSACTION
-- +goose Up
-- The country that the buyer had, kept when an erasure takes the buyer: taxes are reported by country. It names nobody.
alter table invoices add column if not exists erased_country text;

-- The moment at which money counts. A payment from outside may be dated back into a month that is over, so that it counts
-- when it was written down.
create or replace function booked_at(provider text, created_at timestamptz, completed_at timestamptz) returns timestamptz
immutable parallel safe language sql as $$
    select case when provider = 'external' then created_at else completed_at end
$$;

-- Building these waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists invoices_issued;
create index concurrently invoices_issued on invoices (environment_id, issued_at, id) where issued_at is not null;
drop index concurrently if exists invoices_voided;
create index concurrently invoices_voided on invoices (environment_id, voided_at, id) where voided_at is not null;
drop index concurrently if exists invoices_written_off;
create index concurrently invoices_written_off on invoices (environment_id, uncollectible_at, id) where uncollectible_at is not null;
drop index concurrently if exists settlements_settled;
create index concurrently settlements_settled on settlements (environment_id, settled_at, invoice_id);
drop index concurrently if exists credit_notes_created;
create index concurrently credit_notes_created on credit_notes (environment_id, created_at, id);
drop index concurrently if exists credit_entries_created;
create index concurrently credit_entries_created on credit_entries (environment_id, created_at, id);
drop index concurrently if exists transactions_booked;
create index concurrently transactions_booked on transactions (environment_id, booked_at(provider, created_at, completed_at), id)
    where status in ('success', 'refunded');
drop index concurrently if exists transactions_returned;
create index concurrently transactions_returned on transactions (environment_id, returned_at, id) where returned_at is not null;
set lock_timeout = '1s'; -- as db.Migrate has it
