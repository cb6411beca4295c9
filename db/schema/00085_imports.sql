-- Records that were imported are known by their external ids for ever, so that an import can be repeated (ADR 53).

-- +goose Up
create table imported_records (
    environment_id text        not null references environments,
    source         text        not null default '', -- which system external_id is of; empty: the only one
    type           text        not null check (type in ('customer', 'subscription', 'balance')),
    -- 'erased:' and a SHA-256: its customer was erased, and the id may have been an e-mail address.
    external_id    text        not null check (length(external_id) between 1 and 600),
    object_id      text        not null, -- the customer or the subscription; of a balance, the customer
    customer_id    text        not null,
    -- SHA-256 of the record. Null: its customer was erased, of whose data it would be a trace.
    hash           bytea       check (length(hash) = 32),
    imported_at    timestamptz not null,
    primary key (environment_id, source, type, external_id)
);
-- For exports, which name a row by it, and for erasures, which delete it.
create index imported_records_customer on imported_records (environment_id, customer_id, object_id);

-- A balance that was brought from another system belongs to no invoice. The constraint's definition as it is, so that the
-- order of migrations that add reasons does not matter. Rows from before satisfy both, so that they need not be read.
alter table credit_entries alter column invoice_id drop not null;
alter table credit_entries add constraint credit_entries_invoice check (invoice_id is not null or reason = 'imported') not valid;
-- +goose StatementBegin
do $$
declare
    reasons text;
begin
    select pg_get_expr(conbin, conrelid) into strict reasons from pg_constraint
    where conrelid = 'credit_entries'::regclass and conname = 'credit_entries_reason';
    alter table credit_entries drop constraint credit_entries_reason;
    execute format('alter table credit_entries add constraint credit_entries_reason check (%s or reason = ''imported'') not valid',
        reasons);
end $$;
-- +goose StatementEnd
