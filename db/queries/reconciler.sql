-- What the reconciler and the batcher of workflow starts look for, over all environments.

-- name: EpochGet :one
select epoch from temporal_epoch;

-- name: EpochIncrement :one
update temporal_epoch set epoch = epoch + 1 returning epoch;

-- name: SubscriptionListUnstarted :many
select s.environment_id, s.id
from subscriptions s
where s.finished_at is null and s.started_epoch < @epoch and s.id > @after_id
order by s.id
limit @row_limit;

-- name: SubscriptionSetStarted :exec
-- The revision stays: nothing that a workflow knows has changed. In id order, as everybody who locks several: two
-- batches with rows in common, or a batch and a customer's new payment method, would else wait for each other.
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
-- Those that no subscription workflow serves: charges of their own, refunds, and payments of what a finished subscription
-- left open.
select t.environment_id, t.id
from transactions t
left join subscriptions s on s.environment_id = t.environment_id and s.id = t.subscription_id
where t.status = 'pending' and t.started_epoch < @epoch and t.id > @after_id
  and (t.subscription_id is null or t.type = 'refund' or s.finished_at is not null)
order by t.id
limit @row_limit;

-- name: TransactionSetStarted :exec
-- In id order, as everybody who locks several.
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

-- name: TestClockListAdvancing :many
select c.environment_id, c.id
from test_clocks c
where c.status = 'advancing' and c.id > @after_id
order by c.id
limit @row_limit;

-- name: SubscriptionListMethodChanged :many
select s.environment_id, s.id
from subscriptions s
where s.method_changed_at < @before and s.finished_at is null
order by s.method_changed_at
limit @row_limit;

-- name: CallbackListOpen :many
-- Only those whose transaction is known by now; the others have nobody to signal. A finished subscription has no
-- workflow to signal either: its transactions are looked at by workflows of their own.
select t.environment_id, t.id, t.type, t.subscription_id, s.finished_at
from provider_callbacks c
join transactions t on t.environment_id = c.environment_id and t.id = coalesce(c.transaction_id, (
    select r.id from transactions r
    where r.provider_config_id = c.provider_config_id and r.provider_ref = c.provider_ref and r.recovered_from is null
    order by r.type limit 1))
left join subscriptions s on s.environment_id = t.environment_id and s.id = t.subscription_id
where c.processed_at is null and c.received_at < @before
order by c.received_at
limit @row_limit;

-- name: TransactionListOverdue :many
select t.environment_id, t.id, t.type, t.subscription_id, s.finished_at
from transactions t
left join subscriptions s on s.environment_id = t.environment_id and s.id = t.subscription_id
where t.status = 'pending' and t.parked_at is null and t.next_check_at < @before
order by t.next_check_at
limit @row_limit;

-- name: SubscriptionListLate :many
select s.environment_id, s.id, s.next_action, s.next_action_at
from subscriptions s
where s.finished_at is null and s.test_clock_id is null and s.next_action_at < @before
order by s.next_action_at
limit @row_limit;
