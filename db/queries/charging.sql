-- Charging stops: which first sends they hold, and the held payments.

-- name: ChargingGet :one
select e.charging_paused_at, e.accounts_revision from environments e where e.id = @environment_id;

-- name: EnvironmentSetCharging :exec
with written as (
    update environments
    set charging_paused_at = sqlc.narg('charging_paused_at'), accounts_revision = accounts_revision + 1
    where id = @environment_id
    returning 1
)
select 1 / count(*) from written;

-- name: EnvironmentRaiseAccountsRevision :exec
update environments set accounts_revision = accounts_revision + 1 where id = @environment_id;

-- name: EnvironmentChangeInsert :exec
insert into environment_changes (id, environment_id, fields, actor_kind, actor_id, changed_at)
values (@id, @environment_id, @fields, @actor_kind, @actor_id, @changed_at);

-- name: EnvironmentChangeList :many
select c.fields, c.actor_kind, c.actor_id, c.changed_at
from environment_changes c
where c.environment_id = @environment_id
order by c.id;

-- name: TransactionListHeld :many
-- Those that a change of the accounts may have released, of one environment: for the signals that follow it at once.
select h.environment_id, h.id, h.type, h.subscription_id, s.finished_at
from (
    select t.environment_id, t.id, t.type, t.subscription_id, t.held_revision
    from transactions t
    where t.environment_id = @environment_id and t.status = 'pending' and t.held_revision < 9223372036854775807
    order by t.held_revision -- as the index: thousands are of the same; the greatest number waits for a turn only
    limit @row_limit
) h
left join subscriptions s on s.environment_id = h.environment_id and s.id = h.subscription_id
order by h.held_revision, h.id;

-- name: TransactionCountHeld :one
-- Held by a charging stop. Counts stop at @at_most.
select count(*)::integer as held from (
    select from transactions t
    where t.environment_id = @environment_id and t.status = 'pending' and t.held_revision is not null and t.held_by_stop
    limit @at_most::integer) h;

-- name: TransactionRelease :many
-- Payments that a change of the accounts may have released. Each is due now, and released once for each change: if its
-- signal is lost, the list of overdue payments has it a minute later. Environments take turns.
with behind as materialized (
    select e.id, e.accounts_revision, greatest(1, floor(1.0 / count(*) over () * @row_limit::int)::int) as share
    from environments e
    where (select t.held_revision from transactions t
           where t.environment_id = e.id and t.status = 'pending' and t.held_revision is not null
           order by t.held_revision limit 1) < e.accounts_revision
      and e.charging_paused_at is null -- else all of it would only be held again
), picked as (
    select d.environment_id, d.id, d.type, d.subscription_id, b.accounts_revision
    from behind b
    cross join lateral (
        select t.environment_id, t.id, t.type, t.subscription_id
        from transactions t
        where t.environment_id = b.id and t.status = 'pending' and t.held_revision < b.accounts_revision
        order by t.held_revision -- as the index
        limit b.share
        for no key update skip locked
    ) d
    limit @row_limit::int
), released as (
    update transactions t
    set held_revision = p.accounts_revision, next_check_at = least(t.next_check_at, @now::timestamptz)
    from picked p
    where t.environment_id = p.environment_id and t.id = p.id
)
select p.environment_id, p.id, p.type, p.subscription_id, s.finished_at
from picked p
left join subscriptions s on s.environment_id = p.environment_id and s.id = p.subscription_id
order by p.id;

-- name: ChargingListPaused :many
-- Environments and accounts whose charging is paused, the longest first, with how many payments wait for that.
select p.environment_id, p.provider_config_id, p.provider, p.paused_at, e.mode, a.name as app, o.name as tenant,
    (select count(*) from (
        select from transactions t
        where t.environment_id = p.environment_id and t.status = 'pending' and t.held_revision is not null and t.held_by_stop
        limit @at_most::integer) h)::integer as held
from (
    select n.id as environment_id, ''::text as provider_config_id, ''::text as provider, n.charging_paused_at::timestamptz as paused_at
    from environments n where n.charging_paused_at is not null
    union all
    select c.environment_id, c.id, c.provider, c.charging_paused_at
    from provider_configs c where c.charging_paused_at is not null and c.deleted_at is null
) p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
join tenants o on o.id = a.tenant_id
order by p.paused_at, p.environment_id, p.provider_config_id;
