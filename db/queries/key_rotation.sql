-- The rotation of an app's data keys: all that is sealed with its keyset, locked until it is sealed anew. Writers of
-- credentials lock the app first, writers of endpoints their row only.

-- name: ProviderCredentialsLockOfApp :many
select c.environment_id, c.provider_config_id, c.version, c.sealed
from provider_credentials c
join environments e on e.id = c.environment_id
where e.app_id = @app_id
order by c.provider_config_id, c.version
for no key update of c;

-- name: ProviderConfigLockFormerOfApp :many
-- Those of a build before credentials had versions.
select p.environment_id, p.id, p.secret_key_sealed, p.webhook_secret_sealed
from provider_configs p
join environments e on e.id = p.environment_id
where e.app_id = @app_id and (p.secret_key_sealed is not null or p.webhook_secret_sealed is not null)
order by p.id
for no key update of p;

-- name: WebhookEndpointLockOfApp :many
select w.environment_id, w.id, w.secret_sealed, w.previous_secret_sealed
from webhook_endpoints w
join environments e on e.id = w.environment_id
where e.app_id = @app_id
order by w.id
for no key update of w;

-- name: ProviderCredentialsReseal :exec
update provider_credentials c set sealed = @sealed
where c.environment_id = @environment_id and c.provider_config_id = @provider_config_id and c.version = @version;

-- name: ProviderConfigReseal :exec
update provider_configs p set secret_key_sealed = @secret_key_sealed, webhook_secret_sealed = @webhook_secret_sealed
where p.environment_id = @environment_id and p.id = @id;

-- name: WebhookEndpointReseal :exec
-- The revision stays: the change affects no reader.
update webhook_endpoints w set secret_sealed = @secret_sealed, previous_secret_sealed = @previous_secret_sealed
where w.environment_id = @environment_id and w.id = @id;

-- name: EnvironmentListOfApp :many
select e.id from environments e where e.app_id = @app_id order by e.id;
