-- Who did what, when and from where: a row for each call that changes something and each command of an operator, written in
-- its transaction; and the chain that shows a row which is missing, changed or moved. docs/adr/0060-audit-log.md.

-- +goose Up
create table audit_log (
    environment_id text        not null references environments (id),
    id             text        not null,
    position       bigint      not null,
    created_at     timestamptz not null, -- real
    actor_kind     text        not null check (actor_kind in ('key', 'cli', 'operator')),
    actor_id       text        not null,
    actor_scopes   text[]      not null, -- of the key then
    operation      text        not null check (operation <> ''),
    object_type    text        not null,
    object_id      text        not null,
    request_id     text        not null,
    status_code    integer,              -- null: a command of the command line
    changes        json        not null, -- names of fields, values of listed ones; json, since its bytes are hashed
    address        inet,                 -- of the client; null: there was none, or its retention has ended
    address_salt   bytea,                -- erased with the address
    address_digest bytea,                -- of salt and address; stays, and is what the chain covers
    primary key (environment_id, id),
    constraint audit_log_address check ((address is null) = (address_salt is null) and (address is null or address_digest is not null))
);
create trigger audit_log_take_position before insert on audit_log for each row execute function take_position();
create unique index audit_log_position on audit_log (environment_id, position);
create index audit_log_actor on audit_log (environment_id, actor_id, position);
create index audit_log_operation on audit_log (environment_id, operation, position);
create index audit_log_object on audit_log (environment_id, object_id, position);
create index audit_log_address on audit_log (created_at) where address is not null;

-- The chain: each hash covers a row and the hash before. Rows are sealed shortly after their commit, in the order of their
-- positions. The primary key lets no chain fork.
create table audit_seals (
    environment_id text        not null references environments (id),
    number         bigint      not null check (number > 0),
    entry_id       text        not null,
    position       bigint      not null,
    hash           bytea       not null check (length(hash) = 32),
    sealed_at      timestamptz not null,
    primary key (environment_id, number)
);
create unique index audit_seals_position on audit_seals (environment_id, position);

-- Only the address of a row may go, with its salt; the rest is for ever.
-- +goose StatementBegin
create function guard_audit_log() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' and new.address is null and new.address_salt is null
        and to_jsonb(new) - 'address' - 'address_salt' = to_jsonb(old) - 'address' - 'address_salt' then
        return new;
    end if;
    raise exception 'rows of % are never changed or deleted', tg_table_name using errcode = 'PB003';
end $$;
-- +goose StatementEnd
create trigger audit_log_append_only before update or delete on audit_log for each row execute function guard_audit_log();
create trigger audit_log_no_truncate before truncate on audit_log for each statement execute function refuse_change();
create trigger audit_seals_append_only before update or delete on audit_seals for each row execute function refuse_change();
create trigger audit_seals_no_truncate before truncate on audit_seals for each statement execute function refuse_change();

-- +goose StatementBegin
do $$
begin
    execute 'create or replace view list_positions as ' || rtrim(pg_get_viewdef('list_positions'::regclass), '; ')
        || ' union all select environment_id, id, position from audit_log';
end $$;
-- +goose StatementEnd
