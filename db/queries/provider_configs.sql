-- name: ProviderConfigInsert :exec
insert into provider_configs (id, environment_id, provider, is_primary, created_at)
values (@id, @environment_id, @provider, @is_primary, @created_at);

-- name: ProviderConfigGetPrimary :one
-- The app's wrapped keyset comes along, since nothing can be opened without it, and the versions of the credentials, the
-- newest first: what a version replaced verifies callbacks for a while.
select sqlc.embed(p), e.mode, e.app_id, a.keyset,
       array(select c.version from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::integer[] as versions,
       array(select c.sealed from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::bytea[] as sealed,
       array(select c.created_at from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::timestamptz[] as sealed_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
where p.environment_id = @environment_id and p.is_primary;

-- name: ProviderConfigGet :one
select sqlc.embed(p), e.mode, e.app_id, a.keyset,
       array(select c.version from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::integer[] as versions,
       array(select c.sealed from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::bytea[] as sealed,
       array(select c.created_at from provider_credentials c where c.environment_id = p.environment_id and c.provider_config_id = p.id order by c.version desc)::timestamptz[] as sealed_at
from provider_configs p
join environments e on e.id = p.environment_id
join apps a on a.id = e.app_id
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

-- name: ProviderConfigClearFailing :many
update provider_configs p set failing_since = null
where p.environment_id = @environment_id and p.id = @id and p.failing_since is not null
returning p.id;
