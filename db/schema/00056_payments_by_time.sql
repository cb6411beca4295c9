-- The list of payments by createdAt is read along an index: docs/adr/0039-payments-by-time.md. Each statement is a
-- transaction of its own, and may be repeated: payments continue meanwhile, also where there are millions.

-- +goose NO TRANSACTION
-- +goose Up
-- created_at is not the real time at which the row was written, as on a test clock: positions say nothing about it.
alter table transactions add column if not exists created_virtually boolean not null default false;

-- A trigger, so that a process of the previous version, which does not know it, sets it too.
-- +goose StatementBegin
create or replace function note_virtual_time() returns trigger language plpgsql as $$
begin
    new.created_virtually := abs(extract(epoch from new.created_at - clock_timestamp())) > 60;
    return new;
end $$;
-- +goose StatementEnd
create or replace trigger transactions_note_virtual_time before insert on transactions
    for each row execute function note_virtual_time();

-- The time of payments of test environments from before the trigger may be virtual; live ones have no test clocks. A
-- thousand rows at a time, and none that another transaction holds: no transaction waits for more than that, and there
-- is no deadlock.
-- +goose StatementBegin
do $$
declare
    newest bigint := last_position();
    env    text;
    done   bigint;
    upto   bigint;
begin
    for env in select id from environments where mode = 'test' loop
        done := 0;
        loop
            select max(n.position) into upto from (
                select t.position from transactions t
                where t.environment_id = env and t.position > done and t.position <= newest
                order by t.position limit 1000) n;
            exit when upto is null;
            loop
                update transactions t set created_virtually = true
                from (select id from transactions
                      where environment_id = env and position > done and position <= upto and not created_virtually
                      for no key update skip locked) free
                where t.environment_id = env and t.id = free.id;
                commit;
                exit when not exists (
                    select from transactions
                    where environment_id = env and position > done and position <= upto and not created_virtually);
                perform pg_sleep(0.05);
            end loop;
            done := upto;
        end loop;
    end loop;
end $$;
-- +goose StatementEnd

-- Building these waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists transactions_created;
create index concurrently transactions_created on transactions (environment_id, created_virtually, created_at);
-- Next to none, outside of test environments.
drop index concurrently if exists transactions_virtual;
create index concurrently transactions_virtual on transactions (environment_id, position) where created_virtually;
set lock_timeout = '1s'; -- as db.Migrate has it
