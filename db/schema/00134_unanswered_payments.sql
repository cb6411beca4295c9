-- After an outage of a provider the payments that it left undecided are found without reading all that wait there, and a
-- breaker knows which payments its failures were of: docs/adr/0067-after-an-outage.md. Each statement is a transaction of its
-- own, and may be repeated.
--
-- Stepping back: it wakes payments after an outage as before, up to an hour late. Nothing is lost.

-- +goose NO TRANSACTION
-- +goose Up
-- payment.Silence: when the last exchange began, in real time, where the provider left it unanswered, and the first since which
-- the transaction got no further.
alter table transactions add column if not exists unanswered_at timestamptz, add column if not exists unanswered_since timestamptz;
alter table transactions drop constraint if exists transactions_unanswered;
alter table transactions add constraint transactions_unanswered check (unanswered_at is null or unanswered_since is not null) not valid;
-- The payments of the last failures, the latest first.
alter table provider_breakers add column if not exists failed_by text[] not null default '{}';

-- The payments that are undecided now. A thousand rows at a time, and none that another transaction holds: no
-- transaction waits for more.
-- +goose StatementBegin
do $$
declare
    done text := '';
    upto text;
begin
    loop
        select max(n.id) into upto from (
            select t.id from transactions t
            where t.status = 'pending' and t.first_sent_at is not null and t.parked_at is null and t.id > done
            order by t.id limit 1000) n;
        exit when upto is null;
        update transactions t set unanswered_at = f.started_at, unanswered_since = f.started_at
        from (
            select t.environment_id, t.id, last.started_at
            from transactions t
            cross join lateral (
                select c.outcome, c.started_at from provider_calls c
                where c.environment_id = t.environment_id and c.transaction_id = t.id
                order by c.id desc limit 1) last
            where t.status = 'pending' and t.first_sent_at is not null and t.parked_at is null and t.id > done and t.id <= upto
              and last.outcome in ('unknown', 'not_sent', 'cut_off') and t.unanswered_at is null
            for no key update of t skip locked) f
        where t.environment_id = f.environment_id and t.id = f.id;
        commit;
        done := upto;
    end loop;
end $$;
-- +goose StatementEnd

-- Building this waits for open transactions, and stops none. One that was interrupted left an index that is not used.
set lock_timeout = 0;
drop index concurrently if exists transactions_unanswered;
create index concurrently transactions_unanswered on transactions (coalesce(provider_config_id, environment_id), unanswered_at, id)
    where status = 'pending' and parked_at is null and unanswered_at is not null;
set lock_timeout = '1s'; -- as db.Migrate has it
