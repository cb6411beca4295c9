-- name: APIKeyInsert :exec
insert into api_keys (id, environment_id, kind, hash, hint, scopes, allowed_cidrs, expires_at, created_at)
values (@id, @environment_id, @kind, @hash, @hint, @scopes, @allowed_cidrs, @expires_at, @created_at);

-- name: APIKeyRevoke :exec
-- The first revocation counts; a repeat keeps its time.
with written as (
    update api_keys set revoked_at = coalesce(revoked_at, @revoked_at)
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: APIKeyGetByHash :one
select sqlc.embed(k) from api_key_details k where k.hash = @hash;
