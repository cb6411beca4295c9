-- name: ProductInsert :exec
insert into products (id, environment_id, name, description, active, tax_category, metadata, created_at)
values (@id, @environment_id, @name, @description, @active, @tax_category, @metadata, @created_at);

-- name: ProductUpdate :exec
with written as (
    update products set name = @name, description = @description, active = @active, tax_category = @tax_category, metadata = @metadata
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: ProductLock :one
select sqlc.embed(p) from products p where p.environment_id = @environment_id and p.id = @id for no key update;

-- name: ProductGetWithKey :one
select sqlc.embed(k), sqlc.embed(p)
from api_key_details k
join products p on p.environment_id = k.environment_id and p.id = @id
where k.hash = @hash;

-- name: ProductList :many
select sqlc.embed(p)
from products p
where p.environment_id = @environment_id
  and (sqlc.narg('active')::boolean is null or p.active = sqlc.narg('active'))
  and p.position < @below::bigint and p.position > @above::bigint
order by case when @forward::boolean then p.position end, p.position desc
limit @row_limit;
