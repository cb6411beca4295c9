-- name: PaymentMethodInsert :exec
-- Where it becomes the default too, the write of the customer that follows finds it there.
insert into payment_methods (
    environment_id, id, customer_id, type, details, brand, last_four, expires_year, expires_month, billing_name, notice_due_at, created_at
) values (
    @environment_id, @id, @customer_id, @type, @details, @brand, @last_four, @expires_year, @expires_month, @billing_name, @notice_due_at,
    @created_at
);

-- name: PaymentMethodUpdate :exec
-- An expiry is announced once, also where it is changed and changed back.
with written as (
    update payment_methods
    set type = @type, details = @details, brand = @brand, last_four = @last_four, expires_year = @expires_year,
        expires_month = @expires_month, billing_name = @billing_name, revision = revision + 1,
        notice_due_at = case when noticed_expiry is distinct from sqlc.narg('expiry')::integer then sqlc.narg('notice_due_at')::timestamptz end
    where environment_id = @environment_id and id = @id and revision = @revision and removed_at is null
    returning 1
)
select 1 / count(*) from written;

-- name: PaymentMethodRemove :exec
-- Nothing changes where the write of the customer, whose default it was, has removed it. Of a stored one the token stays
-- until the provider has removed it.
update payment_methods
set removed_at = @removed_at::timestamptz, removal_due_at = case when details ? 'paymentMethodToken' then @removed_at::timestamptz end,
    details = case when details ? 'paymentMethodToken' then details - 'phoneNumber' end,
    brand = null, last_four = null, expires_year = null, expires_month = null, billing_name = null, revision = revision + 1
where environment_id = @environment_id and id = @id and removed_at is null;

-- name: PaymentMethodGetWithKey :one
select sqlc.embed(k), sqlc.embed(m),
    (c.payment_method is not null and m.id = coalesce(c.payment_method_id, 'pm_' || substr(c.id, 6)))::boolean as is_default
from api_key_details k
join payment_methods m on m.environment_id = k.environment_id and m.id = @id
join customers c on c.environment_id = m.environment_id and c.id = m.customer_id
where k.hash = @hash;

-- name: PaymentMethodList :many
select sqlc.embed(m),
    (c.payment_method is not null and m.id = coalesce(c.payment_method_id, 'pm_' || substr(c.id, 6)))::boolean as is_default
from payment_methods m
join customers c on c.environment_id = m.environment_id and c.id = m.customer_id
where m.environment_id = @environment_id and m.customer_id = @customer_id and m.removed_at is null
  and m.position < @below::bigint and m.position > @above::bigint
order by case when @forward::boolean then m.position end, m.position desc
limit @row_limit;

-- name: PaymentMethodListOfCustomer :many
-- Oldest first. Under the customer's lock no other request adds, changes or removes one.
select sqlc.embed(m),
    (c.payment_method is not null and m.id = coalesce(c.payment_method_id, 'pm_' || substr(c.id, 6)))::boolean as is_default
from payment_methods m
join customers c on c.environment_id = m.environment_id and c.id = m.customer_id
where m.environment_id = @environment_id and m.customer_id = @customer_id and m.removed_at is null
order by m.position;

-- name: PaymentMethodListRemovals :many
-- Over all environments. A payment that has begun with the method goes on, but not for ever: it may wait for a person.
select m.environment_id, m.id
from payment_methods m
where m.removal_due_at <= @due_by
  and (m.removed_at < @patience_since::timestamptz or not exists (
      select from transactions t
      where t.environment_id = m.environment_id and t.customer_id = m.customer_id and t.payment_method_id = m.id
        and t.status = 'pending'))
order by m.removal_due_at, m.environment_id, m.id
limit @row_limit;

-- name: PaymentMethodGetRemoval :one
-- With whether another payment method of the environment has the token, so that it must stay at the provider.
select sqlc.embed(m), exists (
    select from payment_methods o
    where o.environment_id = m.environment_id and o.removed_at is null
      and o.details ->> 'paymentMethodToken' = m.details ->> 'paymentMethodToken') as is_shared
from payment_methods m
where m.environment_id = @environment_id and m.id = @id and m.removal_due_at is not null;

-- name: PaymentMethodEndRemoval :exec
update payment_methods set details = null, removal_due_at = null
where environment_id = @environment_id and id = @id and removal_due_at is not null;

-- name: PaymentMethodPostponeRemoval :exec
update payment_methods set removal_due_at = @removal_due_at, removal_tries = removal_tries + 1
where environment_id = @environment_id and id = @id and removal_due_at is not null;

-- name: PaymentMethodListExpiring :many
-- In real time, over all environments.
select m.environment_id, m.id, m.customer_id
from payment_methods m
join customers c on c.environment_id = m.environment_id and c.id = m.customer_id
where m.notice_due_at <= @due_by and m.removed_at is null and c.test_clock_id is null
order by m.notice_due_at, m.environment_id, m.id
limit @row_limit;

-- name: PaymentMethodListExpiringOnClock :many
select m.id, m.customer_id
from customers c
join payment_methods m on m.environment_id = c.environment_id and m.customer_id = c.id
where c.environment_id = @environment_id and c.test_clock_id = @test_clock_id and m.notice_due_at <= @due_by
  and m.removed_at is null
order by m.notice_due_at, m.id
limit 100;

-- name: PaymentMethodNoteExpiry :exec
update payment_methods
set notice_due_at = null, noticed_expiry = expires_year * 100 + expires_month
where environment_id = @environment_id and id = @id;
