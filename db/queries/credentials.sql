-- What operators do about the credentials of accounts at providers.

-- name: ProviderConfigListAll :many
-- Few rows, no paging.
select p.id, p.environment_id, p.provider, (p.webhook_secret_sealed is not null)::boolean as has_webhook_secret, p.created_at,
       e.mode, a.name as app, t.name as tenant,
       coalesce((select max(c.changed_at) from credential_changes c
        where c.environment_id = p.environment_id and c.provider_config_id = p.id), p.created_at)::timestamptz as changed_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
join tenants t on t.id = a.tenant_id
order by p.id;

-- name: ProviderConfigSetCredentials :exec
with written as (
    update provider_configs
    set secret_key_sealed = @secret_key_sealed, webhook_secret_sealed = @webhook_secret_sealed
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: ProviderConfigLock :one
select p.secret_key_sealed, p.webhook_secret_sealed
from provider_configs p
where p.environment_id = @environment_id and p.id = @id
for no key update;

-- name: AppLockKeyset :one
-- Accounts of both environments are sealed with it.
select a.keyset from apps a where a.id = @id for no key update;

-- name: AppSetKeyset :exec
with written as (
    update apps set keyset = @keyset where id = @id returning 1
)
select 1 / count(*) from written;

-- name: CredentialChangeInsert :exec
insert into credential_changes (id, environment_id, provider_config_id, fields, actor_kind, actor_id, changed_at)
values (@id, @environment_id, @provider_config_id, @fields, @actor_kind, @actor_id, @changed_at);

-- name: CredentialChangeList :many
select c.fields, c.actor_kind, c.actor_id, c.changed_at
from credential_changes c
where c.environment_id = @environment_id and c.provider_config_id = @provider_config_id
order by c.id;
