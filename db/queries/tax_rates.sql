-- name: TaxRateInsert :exec
insert into tax_rates (id, environment_id, name, percent, inclusive, country, region, valid_from, valid_until, created_at, stacks, tax_category)
values (@id, @environment_id, @name, @percent, @inclusive, @country, @region, @valid_from, @valid_until, @created_at, @stacks, @tax_category);

-- name: TaxRateUpdate :exec
with written as (
    update tax_rates set name = @name, archived_at = @archived_at
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: TaxRateLock :one
select sqlc.embed(r) from tax_rates r where r.environment_id = @environment_id and r.id = @id for no key update;

-- name: TaxRateGetWithKey :one
select sqlc.embed(k), sqlc.embed(r)
from api_key_details k
join tax_rates r on r.environment_id = k.environment_id and r.id = @id
where k.hash = @hash;

-- name: TaxRateList :many
select sqlc.embed(r)
from tax_rates r
where r.environment_id = @environment_id
  and (sqlc.narg('archived')::boolean is null or (r.archived_at is not null) = sqlc.narg('archived'))
  and r.position < @below::bigint and r.position > @above::bigint
order by case when @forward::boolean then r.position end, r.position desc
limit @row_limit;

-- name: TaxRateListOfSubscription :many
-- Those that may hold for its customer: the rules decide by region and time.
select sqlc.embed(r)
from tax_rates r
where r.environment_id = @environment_id and r.archived_at is null
  and (r.country is null or r.country = (
      select c.country
      from subscriptions s
      join customers c on c.environment_id = s.environment_id and c.id = s.customer_id
      where s.environment_id = @environment_id and s.id = @subscription_id))
order by r.id;
