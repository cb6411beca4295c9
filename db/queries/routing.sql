-- name: RoutingRuleList :many
-- Without those of deleted accounts, which take no payments: a list that is read can be written back.
select sqlc.embed(r)
from routing_rules r
join provider_configs p on p.environment_id = r.environment_id and p.id = r.provider_config_id and p.deleted_at is null
where r.environment_id = @environment_id
order by r.position;

-- name: RoutingRuleDeleteAll :exec
delete from routing_rules where environment_id = @environment_id;

-- name: RoutingRuleInsert :exec
insert into routing_rules (
    environment_id, position, country, currency, method, min_amount, max_amount, provider_config_id
) values (
    @environment_id, @position, @country, @currency, @method, @min_amount, @max_amount, @provider_config_id
);

-- name: RoutingAccountList :many
-- All accounts of an environment with what opens them, as ProviderConfigGet reads one: the account that is chosen needs no
-- further read. There are few. Deleted ones only where they were deleted since a moment.
select sqlc.embed(p), e.mode, e.app_id, a.keyset,
       array(select c.version from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::integer[] as versions,
       array(select c.sealed from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::bytea[] as sealed,
       array(select c.created_at from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::timestamptz[] as sealed_at,
       coalesce(b.failures, 0)::integer as failures, b.failing_since, b.opened_at, b.probe_at, b.silent_since, b.recovered_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
left join provider_breakers b on b.environment_id = p.environment_id and b.provider_config_id = p.id
where p.environment_id = @environment_id
  and (p.deleted_at is null or p.deleted_at >= sqlc.narg('deleted_since')::timestamptz)
order by p.id;

-- name: BreakerLock :one
-- Made where there is none, so that there is always a row to lock.
insert into provider_breakers (environment_id, provider_config_id, failures)
values (@environment_id, @provider_config_id, 0)
on conflict (environment_id, provider_config_id) do update set failures = provider_breakers.failures
returning failures, failing_since, opened_at, probe_at, silent_since, recovered_at, failed_by;

-- name: BreakerUpdate :exec
update provider_breakers b
set failures = @failures, failing_since = sqlc.narg('failing_since'), opened_at = sqlc.narg('opened_at'),
    probe_at = sqlc.narg('probe_at'), failed_by = @failed_by, silent_since = sqlc.narg('silent_since'), recovered_at = sqlc.narg('recovered_at')
where b.environment_id = @environment_id and b.provider_config_id = @provider_config_id;

-- name: BreakerClaimProbe :many
-- One payment at a time: the first to move the time of the next probe has it.
update provider_breakers b
set probe_at = @next_probe_at::timestamptz
where b.environment_id = @environment_id and b.provider_config_id = @provider_config_id and b.probe_at <= @now::timestamptz
returning b.provider_config_id;

-- name: BreakerEndRecovery :exec
-- Global: of accounts that answer again since before then, and whose payments have all been woken.
update provider_breakers b set silent_since = null, recovered_at = null
where b.recovered_at < @before::timestamptz
  and not exists (
      select from transactions t
      where coalesce(t.provider_config_id, t.environment_id) = b.provider_config_id and t.status = 'pending' and t.parked_at is null
        and t.unanswered_at < b.recovered_at and t.first_sent_at is not null);

-- name: BreakerListOpen :many
-- Global: for operators, the longest first.
select b.environment_id, b.provider_config_id, b.failures, b.failing_since, b.opened_at::timestamptz as opened_at, b.probe_at, p.provider, e.mode
from provider_breakers b
join provider_configs p on p.environment_id = b.environment_id and p.id = b.provider_config_id
join environments e on e.id = b.environment_id
where b.opened_at is not null and p.deleted_at is null and p.disabled_at is null
order by b.opened_at, b.provider_config_id
limit @row_limit;

-- name: DatabaseServerUpdate :exec
-- Global: the database is used under another server from now on. Only the first of those who notice it writes.
update database_server d set identity = database_identity(), since = @since where d.identity <> database_identity();
