-- The queries of operators at the command line: by name instead of by ID, and over all environments.

-- name: TenantGetByName :one
-- Names are for people and need not be unique: the oldest is meant.
select sqlc.embed(t) from tenants t where t.name = @name order by t.id limit 1;

-- name: AppGetByName :one
select sqlc.embed(a) from apps a where a.tenant_id = @tenant_id and a.name = @name order by a.id limit 1;

-- name: EnvironmentGetByMode :one
select sqlc.embed(e), a.tenant_id
from environments e
join apps a on a.id = e.app_id
where e.app_id = @app_id and e.mode = @mode;

-- name: APIKeyList :many
select k.id, k.environment_id, t.name as tenant, a.name as app, e.mode, k.name, k.kind, k.hint, k.scopes, k.expires_at,
       k.revoked_at, k.last_used_at, k.created_at
from api_keys k
join environments e on e.id = k.environment_id
join apps a on a.id = e.app_id
join tenants t on t.id = a.tenant_id
order by k.id;

-- name: APIKeyGetEnvironment :one
select k.environment_id from api_keys k where k.id = @id;

-- name: EnvironmentListAll :many
-- Few rows, no paging.
select sqlc.embed(e), a.tenant_id
from environments e
join apps a on a.id = e.app_id
order by e.id;
