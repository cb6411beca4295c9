-- Sends that a restored database has lost: it notices that it is used under another server than before, and asks
-- providers for the payments that waited then.

-- +goose Up
-- One row: the server under which the database is used. A restore, a promotion and a crash each begin a new life of the
-- server; a dump that is loaded into a running one makes the table anew.
create table database_server (
    single   boolean     primary key default true check (single),
    identity text        not null,
    since    timestamptz not null -- real time of the first payment after the last change; epoch: there was none
);

-- +goose StatementBegin
create function database_identity() returns text stable language sql as $$
    select extract(epoch from pg_postmaster_start_time())::text || ':' || 'database_server'::regclass::oid::text
$$;
-- +goose StatementEnd

-- A backup from before this table is restored by migrating it: what waits in it may have been sent.
insert into database_server (identity, since)
select database_identity(), case when exists (select from transactions where status = 'pending') then now() else 'epoch' end;

-- When every account that might have had a lost send said that it has none, in real time; null: they were not asked.
alter table transactions add column unsent_at timestamptz;
