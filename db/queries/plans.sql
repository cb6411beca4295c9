-- name: PriceInsert :exec
insert into prices (id, environment_id, plan_id, position, name, model, amount, parameters, once, arrears, currencies)
values (@id, @environment_id, @plan_id, @position, @name, @model, @amount, @parameters, @once, @arrears, @currencies);

-- name: PlanGet :one
-- The version that new subscribers get.
select sqlc.embed(p) from plans p
where p.environment_id = @environment_id and p.plan_id = @plan_id
order by p.version desc
limit 1;

-- name: PlanGetVersion :one
select sqlc.embed(p) from plans p where p.environment_id = @environment_id and p.id = @id;

-- name: PlanListByVersion :many
select sqlc.embed(p) from plans p where p.environment_id = @environment_id and p.id = any(@ids::text[]);

-- name: PlanListVersions :many
select sqlc.embed(p) from plans p
where p.environment_id = @environment_id and p.plan_id = @plan_id
order by p.version desc
limit @row_limit;

-- name: PlanLock :one
-- The row of its first version locks all versions.
select p.id from plans p where p.environment_id = @environment_id and p.id = @id for no key update;

-- name: PlanGetWithKey :one
select sqlc.embed(k), sqlc.embed(p)
from api_key_details k
join plans p on p.environment_id = k.environment_id and p.plan_id = @plan_id
where k.hash = @hash
order by p.version desc
limit 1;

-- name: PlanList :many
-- The newest version of each, in the order in which the plans were created.
with listed as (
    select f.id, f.position
    from plans f
    where f.environment_id = @environment_id and f.version = 1
      and (sqlc.narg('active')::boolean is null or f.active = sqlc.narg('active'))
      and (sqlc.narg('product_id')::text is null or f.product_id = sqlc.narg('product_id'))
      and (sqlc.narg('add_on')::boolean is null or f.add_on = sqlc.narg('add_on'))
      and f.position < @below::bigint and f.position > @above::bigint
    order by case when @forward::boolean then f.position end, f.position desc
    limit @row_limit
)
select sqlc.embed(p)
from listed l
cross join lateral (
    select n.id from plans n where n.environment_id = @environment_id and n.plan_id = l.id order by n.version desc limit 1) newest
join plans p on p.environment_id = @environment_id and p.id = newest.id
order by case when @forward::boolean then l.position end, l.position desc;

-- name: PlanListOfSubscription :many
-- The plan and the add-ons of a subscription, and those of its changes at period end or at a date.
select sqlc.embed(p)
from subscriptions s
join plans p on p.environment_id = s.environment_id and p.id = any(array[s.plan_id, s.pending_plan_id] || s.add_on_ids || s.pending_add_on_ids || s.scheduled_plan_ids)
where s.environment_id = @environment_id and s.id = @subscription_id;

-- name: PriceListOfPlans :many
select sqlc.embed(r)
from prices r
where r.environment_id = @environment_id and r.plan_id = any(@plan_ids::text[])
order by r.plan_id, r.position;

-- name: PriceListNewest :many
-- Of the version that new subscribers get.
select sqlc.embed(r)
from prices r
where r.environment_id = @environment_id and r.plan_id = (
    select p.id from plans p
    where p.environment_id = @environment_id and p.plan_id = @plan_id
    order by p.version desc
    limit 1)
order by r.position;

-- name: PriceListWithKey :many
select sqlc.embed(r)
from api_keys k
join prices r on r.environment_id = k.environment_id and r.plan_id = (
    select p.id from plans p
    where p.environment_id = k.environment_id and p.plan_id = @plan_id
    order by p.version desc
    limit 1)
where k.hash = @hash
order by r.position;

-- name: PriceListOfSubscription :many
select sqlc.embed(r)
from subscriptions s
join prices r on r.environment_id = s.environment_id and r.plan_id = any(array[s.plan_id, s.pending_plan_id] || s.add_on_ids || s.pending_add_on_ids || s.scheduled_plan_ids)
where s.environment_id = @environment_id and s.id = @subscription_id
order by r.plan_id, r.position;
