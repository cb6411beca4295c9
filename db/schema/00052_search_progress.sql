-- A search for a lost send keeps the answers of accounts, so that it continues where its worker stopped; and a database
-- knows that it was copied within its server: a restore by `createdb --template` and a rename keeps process and tables.

-- +goose Up
-- Of a look-up that searches for a lost send: the account that was asked, which no send names, and when the database was
-- restored that lost it (database_server.since). After another restore the answer counts no more. Null: any other call.
alter table provider_calls
    add column searched_config_id text,
    add column searched_since timestamptz;
alter table provider_calls add constraint provider_calls_searched_check
    check ((searched_config_id is null) = (searched_since is null)) not valid;
alter table provider_calls add constraint provider_calls_searched_config_id_fkey
    foreign key (environment_id, searched_config_id) references provider_configs (environment_id, id) not valid;

-- The database's own oid joins its identity. One that has not noticed a restore yet keeps the old identity, which is none
-- of the new ones.
update database_server
set identity = identity || ':' || (select oid from pg_database where datname = current_database())
where identity = database_identity();

-- +goose StatementBegin
create or replace function database_identity() returns text stable language sql as $$
    select extract(epoch from pg_postmaster_start_time())::text || ':' || 'database_server'::regclass::oid::text || ':'
        || (select d.oid from pg_database d where d.datname = current_database())::text
$$;
-- +goose StatementEnd
