-- The operations of operators on the credentials of accounts at providers.

-- name: ProviderConfigListAll :many
-- Few rows, no paging. The names of the credentials are those of the current version.
select sqlc.embed(p), e.charging_paused_at as environment_paused_at, e.mode, a.name as app, t.name as tenant,
       coalesce((select c.fields from provider_credentials c
        where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc limit 1),
        array['secretKey'] || case when p.webhook_secret_sealed is null then '{}'::text[] else array['webhookSecret'] end)::text[] as fields,
       coalesce((select max(c.changed_at) from credential_changes c
        where c.environment_id = p.environment_id and c.provider_config_id = p.id), p.created_at)::timestamptz as changed_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
join tenants t on t.id = a.tenant_id
order by p.id;

-- name: ProviderCredentialNames :one
select coalesce((select c.fields from provider_credentials c
        where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc limit 1),
        array['secretKey'] || case when p.webhook_secret_sealed is null then '{}'::text[] else array['webhookSecret'] end)::text[] as fields
from provider_configs p
where p.environment_id = @environment_id and p.id = @id;

-- name: ProviderCredentialsInsert :exec
insert into provider_credentials (environment_id, provider_config_id, version, fields, sealed, created_at)
values (@environment_id, @provider_config_id, @version, @fields, @sealed, @created_at);

-- name: ProviderCredentialsPurge :exec
-- A version that was replaced before the given time serves nothing any more: it is the one before the newest of that time.
delete from provider_credentials c
where c.environment_id = @environment_id and c.provider_config_id = @provider_config_id
  and exists (select from provider_credentials later
      where later.environment_id = c.environment_id and later.provider_config_id = c.provider_config_id
        and later.version > c.version and later.created_at <= @replaced_before);

-- name: ProviderConfigClearSealed :exec
-- Processes of an older build must not continue with replaced credentials: they find nothing, and retry until they are
-- replaced.
update provider_configs p set secret_key_sealed = null, webhook_secret_sealed = null
where p.environment_id = @environment_id and p.id = @id and p.secret_key_sealed is not null;

-- name: ProviderConfigLock :one
select p.id from provider_configs p where p.environment_id = @environment_id and p.id = @id for no key update;

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
