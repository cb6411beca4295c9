-- name: PaymentMethodInsert :exec
-- Where it becomes the default too, the write of the customer that follows finds it there.
insert into payment_methods (
    environment_id, id, customer_id, type, details, brand, last_four, expires_year, expires_month, billing_name, created_at
) values (
    @environment_id, @id, @customer_id, @type, @details, @brand, @last_four, @expires_year, @expires_month, @billing_name, @created_at
);

-- name: PaymentMethodUpdate :exec
with written as (
    update payment_methods
    set type = @type, details = @details, brand = @brand, last_four = @last_four, expires_year = @expires_year,
        expires_month = @expires_month, billing_name = @billing_name, revision = revision + 1
    where environment_id = @environment_id and id = @id and revision = @revision and removed_at is null
    returning 1
)
select 1 / count(*) from written;

-- name: PaymentMethodRemove :exec
-- Nothing changes where the write of the customer, whose default it was, has removed it.
update payment_methods
set removed_at = @removed_at, details = null, brand = null, last_four = null, expires_year = null, expires_month = null,
    billing_name = null, revision = revision + 1
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
