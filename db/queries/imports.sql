-- name: PlanForTheseValues :exec
-- In this transaction statements are planned for the values that they have. One plan for any values, made while the tables
-- were empty, reads all that was imported for each batch.
select set_config('plan_cache_mode', 'force_custom_plan', true);

-- name: ImportedRecordInsertAll :exec
insert into imported_records (environment_id, source, type, external_id, object_id, customer_id, hash, imported_at)
select @environment_id, @source::text, @type::text, unnest(@external_ids::text[]), unnest(@object_ids::text[]), unnest(@customer_ids::text[]),
    unnest(@hashes::bytea[]), @imported_at::timestamptz;

-- name: ImportedRecordList :many
select r.external_id, r.object_id, r.customer_id, r.hash
from imported_records r
where r.environment_id = @environment_id and r.source = @source and r.type = @type and r.external_id = any(@external_ids::text[]);

-- name: SubscriptionListIDs :many
-- The ids among some that are of subscriptions here.
select s.id from subscriptions s where s.environment_id = @environment_id and s.id = any(@ids::text[]);

-- name: CustomerListByID :many
select sqlc.embed(c) from customers c where c.environment_id = @environment_id and c.id = any(@ids::text[]);

-- name: CustomerLockByID :many
-- A share lock, in id order: none of them is erased until what refers to them is committed.
select sqlc.embed(c) from customers c
where c.environment_id = @environment_id and c.id = any(@ids::text[])
order by c.id
for share;

-- name: ImportedRecordForget :exec
-- The ids stay known by their SHA-256, with the fields that make them unique: their records are not imported again.
update imported_records set hash = null, external_id = 'erased:' || encode(sha256(convert_to(
    environment_id || chr(10) || source || chr(10) || type || chr(10) || external_id, 'UTF8')), 'hex')
where environment_id = @environment_id and customer_id = @customer_id and hash is not null;
