-- What a decision gives back is credit notes, not an invoice below zero (ADR 81). A row that is `taken_back` is no invoice: it keeps the lines that
-- later decisions must not take back again, has no number and is in no list. It is `paid`, so that builds from before read its lines too.
--
-- Stepping back: builds from before show such rows in lists of invoices, without a number, and write invoices below zero again.

-- +goose Up
-- No row breaks the constraints that are added, so that none need be read.
alter table invoices
    add column taken_back boolean not null default false,
    add column taken_back_with text, -- the invoice that the decision issued beside the lines; null: none
    drop constraint invoices_numbered,
    add constraint invoices_numbered check (num_nonnulls(number, issued_at) = case when status = 'draft' then 0 when taken_back then 1 else 2 end) not valid,
    add constraint invoices_taken_back check (not taken_back or status = 'paid' and total <= 0 and credited = 0) not valid,
    add constraint invoices_taken_back_with foreign key (environment_id, taken_back_with) references invoices (environment_id, id)
        deferrable initially deferred not valid;
-- The lines by which a decision took back those of the note; null: a person asked for it.
alter table credit_notes
    add column taken_back_by text,
    add constraint credit_notes_taken_back_by foreign key (environment_id, taken_back_by) references invoices (environment_id, id) not valid;
-- A note may be for an invoice of the same transaction, which is inserted last, as for credit_entries.
alter table credit_notes alter constraint credit_notes_environment_id_invoice_id_fkey deferrable initially deferred;

-- The constraint's definition as it is, so that the order of migrations that add to it does not matter.
-- +goose StatementBegin
do $$
declare
    was text;
begin
    select pg_get_expr(conbin, conrelid) into strict was from pg_constraint
    where conrelid = 'credit_entries'::regclass and conname = 'credit_entries_reason';
    alter table credit_entries drop constraint credit_entries_reason;
    execute format('alter table credit_entries add constraint credit_entries_reason check (%s or reason = ''settled'') not valid', was);
end $$;
-- +goose StatementEnd
