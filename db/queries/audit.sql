-- name: AuditEntryInsert :exec
insert into audit_log (
    environment_id, id, created_at, actor_kind, actor_id, actor_scopes, operation, object_type, object_id, request_id,
    status_code, changes, address, address_salt, address_digest
) values (
    @environment_id, @id, @created_at, @actor_kind, @actor_id, @actor_scopes, @operation, @object_type, @object_id,
    @request_id, @status_code, @changes, @address, @address_salt, @address_digest
);

-- name: AuditEntryGetWithKey :one
select sqlc.embed(k), sqlc.embed(a)
from api_key_details k
join audit_log a on a.environment_id = k.environment_id and a.id = @id
where k.hash = @hash;

-- name: AuditEntryList :many
-- As EventList.
select sqlc.embed(a)
from audit_log a
where a.environment_id = @environment_id
  and (sqlc.narg('actor_id')::text is null or a.actor_id = sqlc.narg('actor_id'))
  and (sqlc.narg('operation')::text is null or a.operation = sqlc.narg('operation'))
  and (sqlc.narg('object_id')::text is null or a.object_id = sqlc.narg('object_id'))
  and coalesce(a.created_at >= sqlc.narg('created_from')::timestamptz, true)
  and coalesce(a.created_at < sqlc.narg('created_to')::timestamptz, true)
  and a.position < @below::bigint and a.position > @above::bigint
order by case when @forward::boolean then a.position end, a.position desc
limit @row_limit;

-- name: AuditPositionsAround :one
-- As EventPositionsAround.
select
    coalesce((select a.position from audit_log a
              where a.environment_id = @environment_id and a.id < @first_id
              order by a.id desc limit 1), 0)::bigint as above,
    coalesce((select a.position from audit_log a
              where a.environment_id = @environment_id and a.id >= @end_id
              order by a.id limit 1), 9223372036854775807)::bigint as below;

-- name: AuditBehind :many
-- Global: environments with rows that are not sealed.
select e.id from environments e
where e.id > @after_id
  and exists (
    select from audit_log a
    where a.environment_id = e.id
      and a.position > coalesce((select s.position from audit_seals s where s.environment_id = e.id
                                 order by s.number desc limit 1), 0))
order by e.id limit @row_limit;

-- name: AuditSealTurn :one
-- One process at a time seals the rows of an environment; the others leave it to that one.
select pg_try_advisory_xact_lock(hashtext('perennial audit'), hashtext(@environment_id::text))::boolean as taken;

-- name: AuditHorizon :one
-- In a statement of its own: see list_horizon.
select h.horizon::bigint as horizon from list_horizon(@environment_id::text) h;

-- name: AuditSealLast :one
select sqlc.embed(s) from audit_seals s
where s.environment_id = @environment_id order by s.number desc limit 1;

-- name: AuditEntryBetween :many
select sqlc.embed(a) from audit_log a
where a.environment_id = @environment_id and a.position > @above and a.position <= @up_to
order by a.position limit @row_limit;

-- name: AuditSealInsert :exec
insert into audit_seals (environment_id, number, entry_id, position, hash, sealed_at)
select @environment_id, n.number, n.entry_id, n.position, n.hash, @sealed_at
from (select unnest(@numbers::bigint[]) as number, unnest(@entry_ids::text[]) as entry_id,
             unnest(@positions::bigint[]) as position, unnest(@hashes::bytea[]) as hash) n;

-- name: AuditSealList :many
select sqlc.embed(s) from audit_seals s
where s.environment_id = @environment_id and s.number > @after_number
order by s.number limit @row_limit;

-- name: AuditUnsealedSum :one
select count(*)::integer as entries, coalesce(min(a.created_at), 'epoch')::timestamptz as oldest
from audit_log a where a.environment_id = @environment_id and a.position > @above;

-- name: AuditAddressErase :one
-- Global: retention.
with erased as (
    update audit_log set address = null, address_salt = null
    where (environment_id, id) in (
        select a.environment_id, a.id from audit_log a
        where a.address is not null and a.created_at < @before order by a.created_at limit @row_limit)
    returning 1
)
select count(*)::integer as erased from erased;
