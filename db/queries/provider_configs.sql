-- name: ProviderConfigInsert :exec
insert into provider_configs (id, environment_id, provider, is_primary, priority, last_tested_at, test_error, failing_since, next_test_at, created_at)
values (@id, @environment_id, @provider, @is_primary, @priority, @last_tested_at, @test_error, @failing_since, @next_test_at, @created_at);

-- name: ProviderConfigGetWithKey :one
select sqlc.embed(k), sqlc.embed(p),
       coalesce((select c.fields from provider_credentials c
        where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc limit 1),
        array['secretKey'] || case when p.webhook_secret_sealed is null then '{}'::text[] else array['webhookSecret'] end)::text[] as fields,
       coalesce(b.failures, 0)::integer as failures, b.failing_since, b.opened_at, b.probe_at
from api_key_details k
join provider_configs p on p.environment_id = k.environment_id and p.id = @id and p.deleted_at is null
left join provider_breakers b on b.environment_id = p.environment_id and b.provider_config_id = p.id
where k.hash = @hash;

-- name: ProviderConfigList :many
-- The number of an environment's is bounded, so that there is no paging.
select sqlc.embed(p),
       coalesce((select c.fields from provider_credentials c
        where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc limit 1),
        array['secretKey'] || case when p.webhook_secret_sealed is null then '{}'::text[] else array['webhookSecret'] end)::text[] as fields,
       coalesce(b.failures, 0)::integer as failures, b.failing_since, b.opened_at, b.probe_at
from provider_configs p
left join provider_breakers b on b.environment_id = p.environment_id and b.provider_config_id = p.id
where p.environment_id = @environment_id and p.deleted_at is null
order by p.id desc;

-- name: ProviderAdministrationLock :one
-- Changes of an app's accounts happen one after the other: there is one primary of each environment. The keyset comes along,
-- since credentials are sealed with it.
select a.id as app_id, a.keyset, e.mode
from environments e
join apps a on a.id = e.app_id
where e.id = @environment_id
for no key update of a;

-- name: ProviderConfigUpdate :exec
with written as (
    update provider_configs
    set is_primary = @is_primary, priority = @priority, disabled_at = sqlc.narg('disabled_at'), deleted_at = sqlc.narg('deleted_at'),
        charging_paused_at = sqlc.narg('charging_paused_at'), max_requests_per_second = sqlc.narg('max_requests_per_second')
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: ProviderConfigSetTested :exec
update provider_configs p
set last_tested_at = @last_tested_at::timestamptz, test_error = sqlc.narg('test_error'), next_test_at = @next_test_at
where p.environment_id = @environment_id and p.id = @id;

-- name: ProviderConfigClaimTest :many
-- Global: the daily test. A process that claims an account tests it; if the process dies, the account is tested a day
-- later. A separate query chooses the account: within a condition a nested loop would choose again for each row that it
-- tries, and claim all.
with due as (
    select q.environment_id, q.id from provider_configs q
    where q.next_test_at <= @now and q.disabled_at is null and q.deleted_at is null
    order by q.next_test_at
    limit 1
    for update skip locked)
update provider_configs p set next_test_at = @next_test_at
from due d
where p.environment_id = d.environment_id and p.id = d.id
returning p.environment_id, p.id;

-- name: ProviderConfigHasPending :one
-- Payments of the configuration, and those that were sent to it before they were sent elsewhere and about which it may
-- still say something; not those that it surely did not take.
select exists (
    select from transactions t
    where t.environment_id = @environment_id and t.status = 'pending'
      and (t.provider_config_id = @provider_config_id::text
           or exists (
               select from payment_sends s
               where s.environment_id = t.environment_id and s.transaction_id = t.id and s.provider_config_id = @provider_config_id::text
                 and coalesce(s.outcome, 'unknown') in ('unknown', 'pending')))) as pending;

-- name: ProviderConfigGetPrimary :one
-- With the app's wrapped keyset, which opens the credentials, and with the versions of the credentials, the newest
-- first: a replaced version verifies callbacks for a while.
select sqlc.embed(p), e.mode, e.app_id, a.keyset,
       array(select c.version from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::integer[] as versions,
       array(select c.sealed from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::bytea[] as sealed,
       array(select c.created_at from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::timestamptz[] as sealed_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
where p.environment_id = @environment_id and p.is_primary;

-- name: ProviderConfigGet :one
-- The same columns as RoutingAccountList, breaker included.
select sqlc.embed(p), e.mode, e.app_id, a.keyset,
       array(select c.version from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::integer[] as versions,
       array(select c.sealed from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::bytea[] as sealed,
       array(select c.created_at from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::timestamptz[] as sealed_at,
       coalesce(b.failures, 0)::integer as failures, b.failing_since, b.opened_at, b.probe_at, b.silent_since, b.recovered_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
left join provider_breakers b on b.environment_id = p.environment_id and b.provider_config_id = p.id
where p.environment_id = @environment_id and p.id = @id;

-- name: ProviderConfigGetByID :one
-- Global: an inbound callback names only the config; its signature proves the rest.
select sqlc.embed(p), e.mode, e.app_id, a.keyset,
       array(select c.version from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::integer[] as versions,
       array(select c.sealed from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::bytea[] as sealed,
       array(select c.created_at from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::timestamptz[] as sealed_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
where p.id = @id;

-- name: ProviderConfigSetFailing :many
-- Only the first of those who notice it writes, and announces it.
update provider_configs p set failing_since = @failing_since
where p.environment_id = @environment_id and p.id = @id and p.failing_since is null
returning p.id;

-- name: ProviderConfigClearTestError :exec
-- A payment went through: the last test's finding is no longer true. The first of those who notice it writes.
update provider_configs p set test_error = null
where p.environment_id = @environment_id and p.id = @id and p.test_error is not null;

-- name: ProviderConfigClearFailing :many
update provider_configs p set failing_since = null, test_error = null
where p.environment_id = @environment_id and p.id = @id and p.failing_since is not null
returning p.id;
