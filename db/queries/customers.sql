-- name: CustomerInsert :exec
insert into customers (
    id, environment_id, email, name, phone, metadata, payment_method, payment_details, test_clock_id, created_at
) values (
    @id, @environment_id, @email, @name, @phone, @metadata, @payment_method, @payment_details, @test_clock_id, @created_at
);

-- name: CustomerUpdate :exec
-- The revision is the one the caller read under lock: a stale one changes nothing, which the caller is told.
with written as (
    update customers
    set email = @email, name = @name, phone = @phone, metadata = @metadata, payment_method = @payment_method,
        payment_details = @payment_details, revision = revision + 1
    where environment_id = @environment_id and id = @id and revision = @revision and erased_at is null
    returning 1
)
select 1 / count(*) from written;

-- name: CustomerLockToErase :exec
-- Sent before CustomerErase, which sees what was committed when it began: it has to begin after the wait for those who
-- hold the customer and copy from it, or what they copied would stay.
select 1 from customers c where c.environment_id = @environment_id and c.id = @id for no key update;

-- name: SubscriptionLockOfCustomer :many
-- In the order of everybody who locks several.
select s.id, s.status from subscriptions s where s.environment_id = @environment_id and s.customer_id = @customer_id order by s.id for no key update;

-- name: TransactionLockOfCustomer :exec
select 1 from transactions t where t.environment_id = @environment_id and t.customer_id = @customer_id order by t.id for no key update;

-- name: CustomerErase :exec
-- Everything personal goes at once, also where it was copied to: the methods of past attempts, what providers answered,
-- the reasons that people and providers gave, also where events tell them, and answers kept for idempotent repeats. What
-- money moved stays, under the pseudonym of the id. Customer,
-- subscriptions and transactions must be locked before.
with attempts as (
    update transactions t set method = null, provider_response = null, failure_reason = null, description = ''
    where t.environment_id = @environment_id and t.customer_id = @id
), subs as (
    -- Reasons that are codes of ours stay: they say nothing about the person.
    update subscriptions s
    set metadata = '{}',
        cancel_reason = case when s.cancel_reason = any(@own_reasons::text[]) then s.cancel_reason end
    where s.environment_id = @environment_id and s.customer_id = @id
), announced as (
    update events e
    set data = e.data || jsonb_build_object(
        case when e.data ->> 'failureReason' <> '' then 'failureReason' else 'cancelReason' end, '')
    where e.environment_id = @environment_id and e.customer_id = @id
      and (e.data ->> 'failureReason' <> ''
           or e.data ->> 'cancelReason' <> all(array_append(@own_reasons::text[], '')))
), calls as (
    update provider_calls c set response = null
    from transactions t
    where t.environment_id = @environment_id and t.customer_id = @id
      and c.environment_id = t.environment_id and c.transaction_id = t.id and c.response is not null
), answers as (
    update idempotency_keys i set response = null, erased_at = @erased_at
    where i.environment_id = @environment_id and i.customer_id = @id and i.erased_at is null
), written as (
    update customers
    set email = null, name = null, phone = null, metadata = '{}', payment_method = null, payment_details = null,
        erased_at = @erased_at, revision = revision + 1
    where customers.environment_id = @environment_id and customers.id = @id and customers.erased_at is null
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
-- A share lock: subscriptions of one customer work beside each other, but nobody changes or erases the payment method
-- between our reading it here and our copying it to an attempt.
select sqlc.embed(c)
from customers c
where c.environment_id = @environment_id
  and c.id = (select s.customer_id from subscriptions s where s.environment_id = @environment_id and s.id = @subscription_id)
for share;

-- name: CustomerList :many
-- Erased customers are gone for the API; their rows stay for what refers to them.
select sqlc.embed(c)
from customers c
where c.environment_id = @environment_id
  and c.erased_at is null
  and (sqlc.narg('email')::text is null or lower(c.email) = lower(sqlc.narg('email')))
  and (sqlc.narg('test_clock_id')::text is null or c.test_clock_id = sqlc.narg('test_clock_id'))
  and c.position < @below::bigint and c.position > @above::bigint
order by case when @forward::boolean then c.position end, c.position desc
limit @row_limit;
