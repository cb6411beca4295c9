-- The reads of the reconciler and of the batcher of workflow starts, over all environments.
--
-- The lists of late work keep each row until its work is done, and work that cannot be done stays, for example where an
-- environment's credentials cannot be read. So environments take turns in them, each with its oldest first;
-- transactions by provider configuration, which has the credentials, or by environment while they have no
-- configuration. Whatever is stuck elsewhere, each environment with late work has its share of row_limit in every pass:
-- nine times row_limit rows are read, divided among those with due work. The search for the first due one is in
-- parentheses, so that it is one probe of an index.

-- name: EpochGet :one
select epoch from temporal_epoch;

-- name: EpochIncrement :one
update temporal_epoch set epoch = epoch + 1 returning epoch;

-- name: SubscriptionListUnstarted :many
-- In the order of the index: by epoch first, so that nothing is sorted.
select s.environment_id, s.id
from subscriptions s
where s.finished_at is null and s.started_epoch < @epoch
order by s.started_epoch, s.id
limit @row_limit;

-- name: SubscriptionSetStarted :exec
-- The revision stays: nothing that a workflow knows has changed. In id order, as everywhere where several are locked:
-- two batches with rows in common, or a batch and a customer's new payment method, would otherwise wait for each other.
with unmarked as (
    select s.environment_id, s.id
    from subscriptions s
    join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) started
        on s.environment_id = started.environment_id and s.id = started.id
    where s.started_epoch < @epoch
    order by s.id
    for no key update of s
)
update subscriptions s
set started_epoch = @epoch
from unmarked u
where s.environment_id = u.environment_id and s.id = u.id;

-- name: TransactionListUnstarted :many
-- Transactions without a subscription workflow: charges of their own, refunds, and payments of invoices that a finished
-- subscription left open. The last are among the charges of subscriptions, of which only the oldest are read: where
-- there are more, the list of overdue checks finds them.
select u.environment_id, u.id
from (
    (select t.environment_id, t.id
    from transactions t
    where t.status = 'pending' and t.started_epoch < @epoch and (t.subscription_id is null or t.type = 'refund')
    order by t.started_epoch, t.id
    limit @row_limit::int)
    union all
    select c.environment_id, c.id
    from (
        select t.environment_id, t.id, t.subscription_id
        from transactions t
        where t.status = 'pending' and t.started_epoch < @epoch and t.subscription_id is not null and t.type = 'charge'
        order by t.started_epoch, t.id
        limit 4 * @row_limit::int
    ) c
    where (select s.finished_at from subscriptions s where s.environment_id = c.environment_id and s.id = c.subscription_id) is not null
) u
order by u.id
limit @row_limit::int;

-- name: TransactionSetStarted :exec
-- In id order, as everywhere where several are locked.
with unmarked as (
    select t.environment_id, t.id
    from transactions t
    join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) started
        on t.environment_id = started.environment_id and t.id = started.id
    where t.started_epoch < @epoch
    order by t.id
    for no key update of t
)
update transactions t
set started_epoch = @epoch
from unmarked u
where t.environment_id = u.environment_id and t.id = u.id;

-- name: TransactionListWakePending :many
-- Decisions of people, so that there are few.
select t.environment_id, t.id
from transactions t
where t.wake_pending_since < @before
order by t.wake_pending_since, t.id
limit @row_limit;

-- name: TransactionClearWakePending :exec
-- In id order, as everywhere where several are locked. A row that was marked again meanwhile is signaled again.
with told as (
    select t.environment_id, t.id
    from transactions t
    join (select unnest(@environment_ids::text[]) as environment_id, unnest(@ids::text[]) as id) s
        on t.environment_id = s.environment_id and t.id = s.id
    where t.wake_pending_since < @before
    order by t.id
    for no key update of t
)
update transactions t
set wake_pending_since = null
from told
where t.environment_id = told.environment_id and t.id = told.id;

-- name: TestClockListAdvancing :many
select c.environment_id, c.id
from test_clocks c
where c.status = 'advancing'
order by c.id
limit @row_limit;

-- name: CallbackClaim :exec
-- The unknown reference of a recent message may be known by now; for an older message, the transaction that records the
-- reference processes it. Rows that another transaction is processing are skipped. The look-up is in parentheses so
-- that it is one probe of an index for each message, however many transactions there are.
with known as (
    select c.environment_id, c.id
    from provider_callbacks c
    where c.processed_at is null and c.transaction_id is null and c.received_at > @since
      and (select r.id from transactions r
           where r.provider_config_id = c.provider_config_id and r.provider_ref = c.provider_ref and r.recovered_from is null
           order by r.type limit 1) is not null
    for no key update skip locked
)
update provider_callbacks c
set transaction_id = (
    select r.id from transactions r
    where r.provider_config_id = c.provider_config_id and r.provider_ref = c.provider_ref and r.recovered_from is null
    order by r.type limit 1)
from known k
where c.environment_id = k.environment_id and c.id = k.id;

-- name: CallbackClaimLost :exec
-- A transaction that a restored database had lost is made again under the same id.
update provider_callbacks c
set transaction_id = t.id
from transactions t
where c.processed_at is null and c.transaction_id is null and c.lost_transaction_id is not null
  and t.environment_id = c.environment_id and t.id = c.lost_transaction_id;

-- name: CallbackListLost :many
-- Those that carry an id of ours which we do not have: the oldest first.
select c.environment_id, c.id, c.lost_transaction_id::text as transaction_id, c.provider_config_id, c.provider_ref, c.type, c.received_at
from provider_callbacks c
where c.processed_at is null and c.transaction_id is null and c.lost_transaction_id is not null
order by c.received_at
limit @row_limit;

-- name: CallbackGiveUp :one
-- A message that was not claimed for so long is about something that is not ours: other systems often share an account.
-- Messages about our payments wait longer for the provider's answer, and those about lost ones for a person.
with unclaimed as (
    select c.environment_id, c.id
    from provider_callbacks c
    where c.processed_at is null and c.transaction_id is null and c.received_at < @before
      and (c.lost_transaction_id is null or c.received_at < @lost_before)
    order by c.received_at
    limit @row_limit::int
    for no key update skip locked
), unanswered as (
    select a.environment_id, a.id
    from provider_configs p
    cross join lateral (
        select c.environment_id, c.id
        from provider_callbacks c
        where c.provider_config_id = p.id and c.processed_at is null and c.transaction_id is not null and c.received_at < @ours_before
        order by c.received_at
        limit @row_limit::int
        for no key update skip locked
    ) a
    limit @row_limit::int
), old as (
    select u.environment_id, u.id from unclaimed u union all select n.environment_id, n.id from unanswered n
), given_up as (
    update provider_callbacks c
    set processed_at = @processed_at::timestamptz
    from old o
    where c.environment_id = o.environment_id and c.id = o.id
    returning c.transaction_id
)
select (count(*) filter (where transaction_id is null))::integer as unclaimed,
    (count(*) filter (where transaction_id is not null))::integer as unanswered
from given_up;

-- name: CallbackPurge :one
-- Only processed ones. A provider's own repeats end long before: a row makes a repeat known.
with purged as (
    delete from provider_callbacks
    where (environment_id, id) in (
        select c.environment_id, c.id from provider_callbacks c
        where c.processed_at is not null and c.received_at < @before order by c.received_at limit @row_limit)
    returning 1
)
select count(*)::integer as purged from purged;

-- name: CallbackListOpen :many
-- Each transaction once. A finished subscription has no workflow to signal: its transactions are looked at by workflows of
-- their own. Where a look was taken and did not answer, the next is taken when the word is a quarter older than it was then.
with behind as materialized (
    select p.id, greatest(1, least(4 * @row_limit::int, floor(7.0 / count(*) over () * @row_limit::int)::int)) as share
    from provider_configs p
    where (select c.received_at from provider_callbacks c
           where c.provider_config_id = p.id and c.processed_at is null and c.transaction_id is not null
           order by c.received_at limit 1) < @before
)
select t.environment_id, t.id, t.type, t.subscription_id, s.finished_at
from (
    select g.environment_id, g.transaction_id, g.turn
    from behind b
    cross join lateral (
        select o.environment_id, o.transaction_id, row_number() over (order by min(o.received_at), o.transaction_id) as turn
        from (
            select c.environment_id, c.transaction_id, c.received_at
            from provider_callbacks c
            where c.provider_config_id = b.id and c.processed_at is null and c.transaction_id is not null and c.received_at < @before
              and not exists (
                  select from provider_calls p
                  where p.environment_id = c.environment_id and p.transaction_id = c.transaction_id
                    and p.started_at > c.received_at + 0.75 * (sqlc.arg('before') - c.received_at))
            order by c.received_at, c.id
            limit b.share
        ) o
        group by o.environment_id, o.transaction_id
    ) g
    order by g.turn, g.transaction_id
    limit @row_limit::int
) w
join transactions t on t.environment_id = w.environment_id and t.id = w.transaction_id
left join subscriptions s on s.environment_id = t.environment_id and s.id = t.subscription_id
order by w.turn, t.id;

-- name: TransactionListOverdue :many
-- Also a transaction that was never sent: a crowd may keep some waiting for a worker that long, but the process of a
-- command that wrote one may have died before its workflow knew, and it would otherwise never be sent. Those without an
-- account take turns by environment.
with behind as materialized (
    select g.id, greatest(1, least(@row_limit::int, floor(8.0 / count(*) over () * @row_limit::int)::int)) as share
    from (select p.id from provider_configs p union all select v.id from environments v) g
    where (select t.next_check_at from transactions t
           where coalesce(t.provider_config_id, t.environment_id) = g.id and t.status = 'pending' and t.parked_at is null
             and t.next_check_at is not null
           order by t.next_check_at limit 1) < @before
)
select w.environment_id, w.id, w.type, w.subscription_id, s.finished_at
from (
    select d.environment_id, d.id, d.type, d.subscription_id, d.turn
    from behind b
    cross join lateral (
        select o.environment_id, o.id, o.type, o.subscription_id, row_number() over (order by o.next_check_at, o.id) as turn
        from (
            select t.environment_id, t.id, t.type, t.subscription_id, t.next_check_at
            from transactions t
            where coalesce(t.provider_config_id, t.environment_id) = b.id and t.status = 'pending' and t.parked_at is null
              and t.next_check_at < @before
            order by t.next_check_at, t.id
            limit b.share
        ) o
    ) d
    order by d.turn, d.id
    limit @row_limit::int
) w
left join subscriptions s on s.environment_id = w.environment_id and s.id = w.subscription_id
order by w.turn, w.id;

-- name: TransactionListBrought :many
-- Returns of payers before a time that no provider has received, though the next check is not due: a worker that does
-- not know returns has put it off. The latest come first, so that old ones that cannot be handed over hide none.
-- Overdue checks are in their own list. Where the account was asked but did not get the return, the next check comes
-- when the return is a quarter older than it was then.
select w.environment_id, w.id, w.type, w.subscription_id, s.finished_at
from (
    select t.environment_id, t.id, t.type, t.subscription_id, t.action_returned_at
    from transactions t
    where t.status = 'pending' and t.action_brought is not null and t.action_handed_at is null
      and t.action_returned_at < @before and t.parked_at is null and t.next_check_at >= @overdue
      and not exists (
          select from provider_calls p
          where p.environment_id = t.environment_id and p.transaction_id = t.id
            and p.started_at > t.action_returned_at + 0.75 * (sqlc.arg('before') - t.action_returned_at))
    order by t.action_returned_at desc
    limit @row_limit
) w
left join subscriptions s on s.environment_id = w.environment_id and s.id = w.subscription_id
order by w.action_returned_at, w.id;

-- name: TransactionListProbes :many
-- Of each account that has been silent since before then, one payment whose last exchange was not answered and that would not
-- ask for a while: it finds out whether the account answers again. A few accounts at most are silent. A payment that was
-- not answered in days asks ever more rarely, by how long that is (30 s after 6 hours, an hour after a month): the account may be
-- closed for good, or fail for that one only.
select d.environment_id, d.id, d.type, d.subscription_id, s.finished_at
from provider_breakers b
cross join lateral (
    select t.environment_id, t.id, t.type, t.subscription_id
    from transactions t
    where coalesce(t.provider_config_id, t.environment_id) = b.provider_config_id and t.status = 'pending' and t.parked_at is null
      and t.unanswered_at is not null and t.first_sent_at is not null and t.next_check_at > @now
      and t.unanswered_at + (t.unanswered_at - t.unanswered_since) / 720 < @now
    order by t.unanswered_at, t.id
    limit 1
) d
left join subscriptions s on s.environment_id = d.environment_id and s.id = d.subscription_id
where b.silent_since < @before and b.recovered_at is null
order by d.id
limit @row_limit;

-- name: TransactionReleaseUnanswered :many
-- For accounts that answer again, the payments whose last exchange was before that and was not answered: all of them
-- after an outage, those that have rested after a shorter silence. Each is due now: if its signal is lost, the list of
-- overdue checks has it a minute later. The number of its checks becomes even, so that its next move is a look-up: if
-- that finds nothing, the repeat under its key follows at once, so that both ways to an answer are taken. Accounts with
-- such payments share the limit; "whole" says that an account may have more than its share.
with back as materialized (
    select b.provider_config_id, b.recovered_at, b.recovered_at - b.silent_since >= make_interval(secs => @outage_seconds) as outage,
        greatest(1, floor(1.0 / count(*) over () * @row_limit::int)::int) as share
    from provider_breakers b
    where b.recovered_at is not null
      and exists (
          select from transactions t
          where coalesce(t.provider_config_id, t.environment_id) = b.provider_config_id and t.status = 'pending' and t.parked_at is null
            and t.unanswered_at < b.recovered_at and t.first_sent_at is not null and t.next_check_at > @now)
), picked as (
    select d.environment_id, d.id, d.type, d.subscription_id, count(*) over (partition by b.provider_config_id) = b.share as whole
    from back b
    cross join lateral (
        select t.environment_id, t.id, t.type, t.subscription_id
        from transactions t
        where coalesce(t.provider_config_id, t.environment_id) = b.provider_config_id and t.status = 'pending' and t.parked_at is null
          and t.unanswered_at < b.recovered_at and t.first_sent_at is not null and t.next_check_at > @now
          and (b.outage or t.unanswered_at + (t.unanswered_at - t.unanswered_since) / @rest_share::int <= @now)
        order by t.unanswered_at, t.id
        limit b.share
        for no key update of t skip locked
    ) d
    limit @row_limit::int
), released as (
    update transactions t
    set next_check_at = @now, checks = t.checks + t.checks % 2, unanswered_at = null
    from picked p
    where t.environment_id = p.environment_id and t.id = p.id
)
select p.environment_id, p.id, p.type, p.subscription_id, s.finished_at, p.whole::boolean as whole
from picked p
left join subscriptions s on s.environment_id = p.environment_id and s.id = p.subscription_id
order by p.id;

-- name: SubscriptionListLate :many
with behind as materialized (
    select e.id, greatest(1, least(@row_limit::int, floor(9.0 / count(*) over () * @row_limit::int)::int)) as share
    from environments e
    where (select s.next_action_at from subscriptions s
           where s.environment_id = e.id and s.finished_at is null and s.test_clock_id is null and s.next_action_at is not null
           order by s.next_action_at limit 1) < @before
)
select w.environment_id, w.id
from behind b
cross join lateral (
    select d.environment_id, d.id, row_number() over (order by d.next_action_at, d.id) as turn
    from (
        select s.environment_id, s.id, s.next_action_at
        from subscriptions s
        where s.environment_id = b.id and s.finished_at is null and s.test_clock_id is null and s.next_action_at < @before
        order by s.next_action_at, s.id
        limit b.share
    ) d
) w
order by w.turn, w.id
limit @row_limit::int;

-- name: SubscriptionListOverlooked :many
-- Dates that have passed and that nothing waits for: no rule leaves one so. Environments take turns.
select w.environment_id, w.subscription_id::text as id
from (
    select o.environment_id, o.subscription_id, row_number() over (partition by o.environment_id order by min(o.at), o.subscription_id) as turn
    from overlooked_dates o
    where o.at < @before::timestamptz
    group by o.environment_id, o.subscription_id
) w
order by w.turn, w.subscription_id
limit @row_limit::int;

-- name: SubscriptionListWakePending :many
-- Signals that did not arrive, or on which no worker has acted. Environments take turns.
with behind as materialized (
    select e.id, greatest(1, least(@row_limit::int, floor(9.0 / count(*) over () * @row_limit::int)::int)) as share
    from environments e
    where (select s.wake_pending_since from subscriptions s
           where s.environment_id = e.id and s.wake_pending_since is not null
           order by s.wake_pending_since limit 1) < @before
)
select w.environment_id, w.id
from behind b
cross join lateral (
    select d.environment_id, d.id, row_number() over (order by d.wake_pending_since, d.id) as turn
    from (
        select s.environment_id, s.id, s.wake_pending_since
        from subscriptions s
        where s.environment_id = b.id and s.wake_pending_since < @before
        order by s.wake_pending_since, s.id
        limit b.share
    ) d
) w
order by w.turn, w.id
limit @row_limit::int;
