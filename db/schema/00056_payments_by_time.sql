-- The list of payments by createdAt costs what it returns: docs/adr/0039-payments-by-time.md.

-- +goose Up
-- created_at is not the real time at which the row was written, as on a test clock: positions say nothing about it. What test
-- environments have from before is not known to be anything else; live ones have no test clocks.
alter table transactions add column created_virtually boolean not null default false;
update transactions t
set created_virtually = true
from environments e
where e.id = t.environment_id and e.mode = 'test';

-- A trigger, so that a process of the previous version, which knows nothing of it, notes it too.
-- +goose StatementBegin
create function note_virtual_time() returns trigger language plpgsql as $$
begin
    new.created_virtually := abs(extract(epoch from new.created_at - clock_timestamp())) > 60;
    return new;
end $$;
-- +goose StatementEnd
create trigger transactions_note_virtual_time before insert on transactions
    for each row execute function note_virtual_time();

create index transactions_created on transactions (environment_id, created_virtually, created_at);
-- Next to none, outside of test environments.
create index transactions_virtual on transactions (environment_id, position) where created_virtually;
