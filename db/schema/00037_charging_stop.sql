-- A charging stop holds first sends; what no provider can take now waits until the environment's accounts change, not for
-- a date of its own.
--
-- Stepping back: it sends payments while a charging stop holds. End all stops first.

-- +goose Up
-- Raised by every change of an environment's accounts at providers, so that held charges are tried again.
alter table environments add accounts_revision bigint not null default 0;

alter table transactions
    add held_at       timestamptz,                   -- when no account could take it last, so that it was surely not sent by then
    add held_revision bigint,                        -- environments.accounts_revision at which that was so
    add held_by_stop  boolean not null default false, -- because charging is paused
    add constraint transactions_held check ((held_at is null) = (held_revision is null) and (held_at is not null or not held_by_stop));
create index transactions_held on transactions (environment_id, held_revision) where status = 'pending' and held_revision is not null;

-- Who paused or resumed charging in an environment, and when. The same about an account is in credential_changes.
create table environment_changes (
    id             text        not null,
    environment_id text        not null,
    fields         text[]      not null, -- what changed
    actor_kind     text        not null,
    actor_id       text        not null,
    changed_at     timestamptz not null,
    primary key (environment_id, id),
    foreign key (environment_id) references environments (id)
);
create trigger environment_changes_append_only before update or delete on environment_changes for each row execute function refuse_change();
create trigger environment_changes_no_truncate before truncate on environment_changes for each statement execute function refuse_change();
