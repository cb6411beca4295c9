-- name: APIKeyInsert :exec
insert into api_keys (id, environment_id, name, kind, hash, hint, scopes, allowed_cidrs, expires_at, replaces, created_at)
values (@id, @environment_id, @name, @kind, @hash, @hint, @scopes, @allowed_cidrs, @expires_at, @replaces, @created_at);

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

-- name: ManagedKeyGetWithKey :one
select sqlc.embed(k), sqlc.embed(m)
from api_key_details k
join api_keys m on m.environment_id = k.environment_id and m.id = @id
where k.hash = @hash;

-- name: ManagedKeyLock :one
select sqlc.embed(k) from api_keys k where k.environment_id = @environment_id and k.id = @id for no key update;

-- name: ManagedKeyList :many
select sqlc.embed(k)
from api_keys k
where k.environment_id = @environment_id
  and (sqlc.narg('ended')::boolean is null
       or (k.revoked_at is not null or coalesce(k.expires_at <= @now, false)) = sqlc.narg('ended'))
  and k.position < @below::bigint and k.position > @above::bigint
order by case when @forward::boolean then k.position end, k.position desc
limit @row_limit;

-- name: ManagedKeyUpdate :exec
with written as (
    update api_keys set name = @name, expires_at = @expires_at
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: APIKeyNoteUse :exec
-- Global: who was admitted proved the environment by the hash. A key that another process saw later keeps its time.
update api_keys k set last_used_at = u.at
from (select unnest(@ids::text[]) as id, unnest(@times::timestamptz[]) as at) u
where k.id = u.id and (k.last_used_at is null or k.last_used_at < u.at);

-- name: APIKeySpend :many
-- Global: the hash of an admitted key has proved the environment. One clock fills the buckets of all processes, and all
-- write them in the same order. What accrued while the requests were made counts before the bucket is full, so that a
-- late report costs nothing. A debt is at most ten bursts, so that it is paid back.
insert into api_key_buckets as b (key_id, tokens, spent, within, at)
select s.key_id, greatest(-10 * l.burst, least(l.burst, l.burst + s.within * l.per_second - s.spent)), s.spent, s.within,
    clock_timestamp()
from (select unnest(@ids::text[]) as key_id, unnest(@spent::integer[]) as spent,
          unnest(@within_seconds::double precision[]) as within) s,
     (select @burst::double precision as burst, @per_second::double precision as per_second) l
order by s.key_id
on conflict (key_id) do update set
    tokens = (
        select greatest(-10 * l.burst, least(l.burst,
            least(l.burst, b.tokens + greatest(0, p.passed - excluded.within) * l.per_second)
            + least(p.passed, excluded.within) * l.per_second - excluded.spent))
        from (select greatest(0, extract(epoch from clock_timestamp() - b.at)::double precision) as passed) p,
             (select @burst::double precision as burst, @per_second::double precision as per_second) l),
    spent = excluded.spent, within = excluded.within, at = clock_timestamp()
returning b.key_id, b.tokens;
