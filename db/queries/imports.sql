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

-- name: ImportedRecordListOfType :many
-- Of what is sold, which an environment has little of.
select r.external_id, r.object_id from imported_records r
where r.environment_id = @environment_id and r.source = @source and r.type = @type;

-- name: CreditGrantListIDs :many
-- The ids among some that are of credit grants here.
select g.id from credit_grants g where g.environment_id = @environment_id and g.id = any(@ids::text[]);

-- name: WebhookEndpointListIDs :many
-- The ids among some that are of webhook endpoints here, also of deleted ones.
select w.id from webhook_endpoints w where w.environment_id = @environment_id and w.id = any(@ids::text[]);

-- name: PaymentMethodListOwners :many
-- The payment methods here among some ids, also removed ones, with their customers.
select m.id, m.customer_id from payment_methods m where m.environment_id = @environment_id and m.id = any(@ids::text[]);

-- name: PaymentMethodTally :many
select m.customer_id, count(*)::integer as methods
from payment_methods m
where m.environment_id = @environment_id and m.customer_id = any(@customer_ids::text[]) and m.removed_at is null
group by m.customer_id;

-- name: CreditGrantTally :many
select g.customer_id, g.currency, count(*)::integer as grants
from credit_grants g
where g.environment_id = @environment_id and g.customer_id = any(@customer_ids::text[]) and g.remaining > 0
group by g.customer_id, g.currency;

-- name: PaymentMethodDescribe :exec
-- What is known of the default of an imported customer, whose row the insert of the customer has written.
update payment_methods
set brand = @brand, last_four = @last_four, expires_year = @expires_year, expires_month = @expires_month,
    billing_name = @billing_name, notice_due_at = @notice_due_at, revision = revision + 1
where environment_id = @environment_id and id = @id and removed_at is null;

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
