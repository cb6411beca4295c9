-- Commands are transactions that wake the workflow; a send knows when it was due.

-- +goose Up
-- Since when, in real time, a signal to the subscription's workflow is under way: set by the transaction that gives the
-- workflow something to do, cleared by the one in which the workflow acts. The reconciler repeats the signal where it
-- stays set.
alter table subscriptions add column wake_pending_since timestamptz;
create index subscriptions_wake_pending on subscriptions (environment_id, wake_pending_since, id) where wake_pending_since is not null;
drop index subscriptions_method_changed;

-- When the first send was due, in real time: one that comes much later asks the provider first, since a restored database
-- may have forgotten a send.
alter table transactions add column send_due_at timestamptz;

-- A command's effect, its answer and its text are one transaction now, under the request's idempotency row.
drop table command_texts;
drop table commands;

-- With it go leases, states and command ids of idempotency rows: a row is written with its answer.
delete from idempotency_keys where state <> 'answered';
alter table idempotency_keys drop column state, drop column lease_until, drop column command_id;

-- A row without its answer would make every repeat wait for ever. The key is reserved before the effect and answered
-- after it, so that this can be checked only at the end of the transaction.
-- +goose StatementBegin
create function refuse_unanswered() returns trigger language plpgsql as $$
begin
    if exists (select from idempotency_keys k
               where k.environment_id = new.environment_id and k.route = new.route and k.key = new.key and k.status_code is null) then
        raise exception 'the request % with the Idempotency-Key % has no answer', new.route, new.key using errcode = 'PB006';
    end if;
    return null;
end $$;
-- +goose StatementEnd
create constraint trigger idempotency_keys_answered after insert or update on idempotency_keys
    deferrable initially deferred for each row when (new.status_code is null) execute function refuse_unanswered();
