-- The reads of operators and alerts, over all environments. A scrape of the metrics runs these every few seconds: each
-- subquery reads one end of a partial index (for due work, one end for each environment or provider configuration), and
-- counts stop at @at_most.

-- name: BacklogGet :one
-- Where nothing waits, the oldest is @now, the clock by which work becomes due. The database's clock stamped beats and
-- passes, so it also measures their ages; -1: no pass has ever ended.
select
    coalesce(oldest.action_at, @now)::timestamptz as action_at,
    coalesce(oldest.check_at, @now)::timestamptz as check_at,
    coalesce(oldest.review_at, @now)::timestamptz as review_at,
    coalesce(oldest.lost_at, @now)::timestamptz as lost_at,
    coalesce(oldest.disputed_at, @now)::timestamptz as disputed_at,
    counted.actions::integer as actions,
    counted.payments::integer as payments,
    counted.reviews::integer as reviews,
    counted.lost::integer as lost,
    coalesce(oldest.erasure_at, @now)::timestamptz as erasure_at,
    counted.erasures::integer as erasures,
    counted.disputed::integer as disputed,
    counted.workers::integer as workers,
    coalesce(extract(epoch from clock_timestamp() - e.reconciled_at), -1)::float8 as reconciled_age,
    (current_setting('transaction_read_only') = 'off')::boolean as writable
from temporal_epoch e,
    (select
        (select min((select s.next_action_at from subscriptions s
                     where s.environment_id = n.id and s.finished_at is null and s.test_clock_id is null and s.next_action_at is not null
                     order by s.next_action_at limit 1)) from environments n) as action_at,
        (select min((select t.next_check_at from transactions t
                     where coalesce(t.provider_config_id, t.environment_id) = g.id and t.status = 'pending' and t.parked_at is null
                       and t.next_check_at is not null
                     order by t.next_check_at limit 1))
         from (select p.id from provider_configs p union all select v.id from environments v) g) as check_at,
        (select min(t.parked_at) from transactions t where t.parked_at is not null) as review_at,
        (select min(t.disputed_at) from transactions t where t.disputed_at is not null) as disputed_at,
        (select min(c.received_at) from provider_callbacks c
         where c.processed_at is null and c.transaction_id is null and c.lost_transaction_id is not null) as lost_at,
        (select min(r.requested_at) from erasures r where r.finished_at is null) as erasure_at) oldest,
    (select
        (select count(*) from (
            select from environments n
            cross join lateral (
                select from subscriptions s
                where s.environment_id = n.id and s.finished_at is null and s.test_clock_id is null
                  and s.next_action_at < @overdue_before::timestamptz
                order by s.next_action_at
                limit @at_most::integer) d
            limit @at_most::integer) o) as actions,
        (select count(*) from (
            select from (select p.id from provider_configs p union all select v.id from environments v) g
            cross join lateral (
                select from transactions t
                where coalesce(t.provider_config_id, t.environment_id) = g.id and t.status = 'pending' and t.parked_at is null
                  and t.next_check_at < @overdue_before::timestamptz
                order by t.next_check_at
                limit @at_most::integer) d
            limit @at_most::integer) o) as payments,
        (select count(*) from (
            select from transactions t where t.parked_at is not null limit @at_most::integer) r) as reviews,
        (select count(*) from (
            select from provider_callbacks c
            where c.processed_at is null and c.transaction_id is null and c.lost_transaction_id is not null
            limit @at_most::integer) l) as lost,
        (select count(*) from (
            select from erasures r
            where r.finished_at is null and r.progress_at < @overdue_before::timestamptz
            limit @at_most::integer) r) as erasures,
        (select count(*) from (select from transactions t where t.disputed_at is not null limit @at_most::integer) d) as disputed,
        (select count(*) from workers w
         where w.stopped_at is null and w.seen_at > clock_timestamp() - make_interval(secs => @beat_seconds::float8)) as workers) counted;

-- name: SubscriptionListOverdue :many
-- In real time, the oldest first.
select d.environment_id, d.id, d.next_action, d.next_action_at::timestamptz as due_at
from environments n
cross join lateral (
    select s.environment_id, s.id, s.next_action, s.next_action_at
    from subscriptions s
    where s.environment_id = n.id and s.finished_at is null and s.test_clock_id is null and s.next_action_at < @before
    order by s.next_action_at
    limit @row_limit::integer) d
order by d.next_action_at
limit @row_limit::integer;

-- name: SubscriptionListBehindClock :many
-- Subscriptions whose test clock is ready at or after their next action, although neither they nor the payments that
-- held the clock up have changed since a time. Ids show when a subscription was created. A clock that was stopped by
-- payments keeps their ids until its next advance; it is held up while one of them is pending, and until the work
-- behind it has had its time.
select s.environment_id, s.id, s.next_action, s.next_action_at::timestamptz as due_at
from test_clocks c
join subscriptions s on s.environment_id = c.environment_id and s.test_clock_id = c.id
where c.status = 'ready' and s.finished_at is null and s.next_action_at <= c.now_at
  and s.id < @created_before::text and (s.wake_pending_since is null or s.wake_pending_since < @unchanged_since::timestamptz)
  and not exists (
      select from unnest(c.blocked_by) as b (id)
      join transactions t on t.environment_id = c.environment_id and t.id = b.id
      where t.status = 'pending' or exists (
          select from provider_calls p
          where p.environment_id = t.environment_id and p.transaction_id = t.id and p.ended_at >= @unchanged_since::timestamptz))
order by s.id
limit @row_limit;

-- name: TransactionListForReview :many
select t.environment_id, o.name as tenant, a.name as app, e.mode, t.id, t.type, t.status, t.amount, t.currency, t.provider_ref,
    t.review_reason, t.review_ref, t.parked_at::timestamptz as parked_at
from transactions t
join environments e on e.id = t.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
where t.parked_at is not null
order by t.parked_at
limit @row_limit;

-- name: EpochSetReconciled :exec
update temporal_epoch set reconciled_at = clock_timestamp();

-- name: WorkerBeat :exec
insert into workers (id, deployment, build_id, started_at, seen_at)
values (@id, @deployment, @build_id, clock_timestamp(), clock_timestamp())
on conflict (id) do update set seen_at = excluded.seen_at, stopped_at = null;

-- name: WorkerStop :exec
update workers set seen_at = clock_timestamp(), stopped_at = clock_timestamp() where id = @id;

-- name: WorkerCount :one
-- known: workers of this build have run here at all. A build from before this table never has, and where nothing can be
-- written no beat tells anything.
select (case when current_setting('transaction_read_only') = 'off' then count(*) else 0 end)::integer as known,
    (count(*) filter (where stopped_at is null and seen_at > clock_timestamp() - make_interval(secs => @beat_seconds::float8)))::integer as working
from workers
where deployment = @deployment and build_id = @build_id;

-- name: WorkerCountAll :one
select (count(*))::integer as working
from workers
where stopped_at is null and seen_at > clock_timestamp() - make_interval(secs => @beat_seconds::float8);

-- name: WorkerPurge :exec
delete from workers where seen_at < @before;

-- name: KeysetList :many
-- A process checks at start that its key-encryption key opens them.
select a.id, a.keyset from apps a where a.id > @after::text order by a.id limit @row_limit;

-- name: WebhookBacklogGet :one
-- Endpoints whose workflow is late with due work or with a wake-up, and those that fail.
select
    coalesce(least(
        (select min(w.next_attempt_at) from webhook_endpoints w where w.next_attempt_at is not null),
        (select min(w.wake_pending_since) from webhook_endpoints w where w.wake_pending_since is not null)), @now)::timestamptz as due_at,
    (select count(*) from (
        select from webhook_endpoints w where w.next_attempt_at < @late_before::timestamptz limit @at_most::integer) l)::integer as late,
    (select count(*) from (
        select from webhook_endpoints w where w.wake_pending_since < @late_before::timestamptz limit @at_most::integer) a)::integer as asleep,
    (select count(*) from (
        select from webhook_endpoints w
        where w.status = 'enabled' and w.failing_since < @failing_before::timestamptz limit @at_most::integer) f)::integer as failing;

-- name: WebhookEndpointListTroubled :many
-- Enabled endpoints that fail, the longest failing first, then those that were disabled for it.
(select w.environment_id, w.id, w.failing_since::timestamptz as since, false as disabled
 from webhook_endpoints w
 where w.status = 'enabled' and w.failing_since < @failing_before::timestamptz
 order by w.failing_since limit @row_limit::int)
union all
(select w.environment_id, w.id, w.disabled_at::timestamptz, true
 from webhook_endpoints w
 where w.disabled_reason in ('failing', 'gone') and w.disabled_at > @disabled_since::timestamptz
 order by w.disabled_at desc limit @row_limit::int);

-- name: EmailBacklogGet :one
-- Senders of mail whose workflow is late with due work or with a wake-up, those whose mail server fails, and the mails of the
-- last days that were given up.
select
    coalesce(least(
        (select min(s.next_attempt_at) from email_senders s where s.next_attempt_at is not null),
        (select min(s.wake_pending_since) from email_senders s where s.wake_pending_since is not null)), @now)::timestamptz as due_at,
    (select count(*) from (
        select from email_senders s where s.deleted_at is null and s.failing_since < @failing_before::timestamptz
        limit @at_most::integer) f)::integer as failing,
    (select count(*) from (
        select from emails m where m.status = 'failed' and m.created_at > @failed_since::timestamptz
        limit @at_most::integer) g)::integer as failed;

-- name: EmailSenderListFailing :many
-- Those whose mail server fails, the longest failing first.
select s.environment_id, s.id, s.failing_since::timestamptz as since, s.failure_class::text as class
from email_senders s
where s.deleted_at is null and s.failing_since < @failing_before::timestamptz
order by s.failing_since, s.id
limit @row_limit;

-- name: WriteProbeUpdate :exec
-- Global. Writes and commits a row. The row fits into its page, so the statement also writes something that needs room
-- on the disk: rows that do not fit into memory go to a temporary file.
update write_probe w set written_at = clock_timestamp(), spilled = (select count(*) from generate_series(1, 20000));

-- name: WorkMemoryLower :exec
-- Global: of this transaction, to the least.
select set_config('work_mem', '64kB', true);

-- name: OverlookedDates :many
-- Dates that have passed and that nothing waits for, by kind; and grants that have ended and have something left, and customers whose
-- debts are to be reviewed, for whom no row waits. There are none.
select o.kind::text as kind, count(*)::integer as count, min(o.at)::timestamptz as oldest, min(o.subscription_id)::text as example
from overlooked_dates o
where o.at < @before::timestamptz
group by o.kind
union all
select 'grant_end', count(*)::integer, min(g.ends_at)::timestamptz, min(g.id)::text
from (
    select g.ends_at, g.id
    from credit_grants g
    where g.test_clock_id is null and g.remaining > 0 and g.ends_at < @before::timestamptz
      and not exists (
          select from subscriptions s
          where s.environment_id = g.environment_id and s.customer_id = g.customer_id and s.finished_at is null
            and s.next_action_at < g.ends_at)
    order by g.ends_at
    limit @at_most::int) g
having count(*) > 0
union all
select 'debt_review', count(*)::integer, min(c.overdue_due_at)::timestamptz, min(c.id)::text
from (
    select c.overdue_due_at, c.id
    from customers c
    where c.test_clock_id is null and c.overdue_due_at < @before::timestamptz
    order by c.overdue_due_at
    limit @at_most::int) c
having count(*) > 0
order by kind;
