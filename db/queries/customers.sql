-- name: CustomerErase :exec
-- The row itself; an erasure takes the copies. The customer must be locked before.
with written as (
    update customers
    set email = null, name = null, phone = null, address = null, country = null, region = null, locale = null, time_zone = null,
        tax_ids = null, metadata = '{}', payment_method = null, payment_details = null,
        overdue_policy = null, overdue = null, overdue_due_at = null, erased_at = @erased_at, revision = revision + 1
    where environment_id = @environment_id and id = @id and erased_at is null
    returning 1
)
select 1 / count(*) from written;

-- name: CustomerGet :one
select sqlc.embed(c) from customers c where c.environment_id = @environment_id and c.id = @id;

-- name: CustomerGetWithKey :one
select sqlc.embed(k), sqlc.embed(c)
from api_key_details k
join customers c on c.environment_id = k.environment_id and c.id = @id
where k.hash = @hash;

-- name: CustomerLock :one
-- No key update: rows that refer to the customer may be inserted meanwhile, nobody else may change it.
select sqlc.embed(c) from customers c where c.environment_id = @environment_id and c.id = @id for no key update;

-- name: CustomerLockOfSubscription :one
-- Decisions about one customer come one after the other, also about several subscriptions: a balance that does not exist yet
-- cannot be locked, and what two decisions write in other orders (balances, the customer's event numbers) could deadlock. No key
-- update: rows that refer to the customer may be inserted meanwhile.
select sqlc.embed(c)
from customers c
where c.environment_id = @environment_id
  and c.id = (select s.customer_id from subscriptions s where s.environment_id = @environment_id and s.id = @subscription_id)
for no key update;

-- name: CustomerList :many
-- Erased customers are gone for the API; their rows stay for what refers to them.
select sqlc.embed(c)
from customers c
where c.environment_id = @environment_id
  and c.erased_at is null
  and (sqlc.narg('email')::text is null or lower(c.email) = lower(sqlc.narg('email')))
  and (sqlc.narg('test_clock_id')::text is null or c.test_clock_id = sqlc.narg('test_clock_id'))
  and (sqlc.narg('overdue_state')::text is null or c.overdue ->> 'state' = sqlc.narg('overdue_state'))
  and (not @needs_person::boolean or c.overdue -> 'needsPerson' = 'true'::jsonb)
  and c.position < @below::bigint and c.position > @above::bigint
order by case when @forward::boolean then c.position end, c.position desc
limit @row_limit;
