-- name: PlanInsert :exec
insert into plans (id, environment_id, name, currency, interval_unit, interval_count, trial_days, active, dunning, metadata, created_at)
values (@id, @environment_id, @name, @currency, @interval_unit, @interval_count, @trial_days, @active, @dunning, @metadata, @created_at);

-- name: PriceInsert :exec
insert into prices (id, environment_id, plan_id, position, name, model, amount, parameters)
values (@id, @environment_id, @plan_id, @position, @name, @model, @amount, @parameters);

-- name: PlanGet :one
select sqlc.embed(p) from plans p where p.environment_id = @environment_id and p.id = @id;

-- name: PlanLock :one
select sqlc.embed(p) from plans p where p.environment_id = @environment_id and p.id = @id for no key update;

-- name: PlanUpdate :exec
-- What may change. The rest is what subscriptions were sold.
with written as (
    update plans set name = @name, active = @active, dunning = @dunning, metadata = @metadata
    where environment_id = @environment_id and id = @id
    returning 1
)
select 1 / count(*) from written;

-- name: PlanGetWithKey :one
select sqlc.embed(k), sqlc.embed(p)
from api_key_details k
join plans p on p.environment_id = k.environment_id and p.id = @id
where k.hash = @hash;

-- name: PlanList :many
select sqlc.embed(p)
from plans p
where p.environment_id = @environment_id
  and (sqlc.narg('active')::boolean is null or p.active = sqlc.narg('active'))
  and p.position < @below::bigint and p.position > @above::bigint
order by case when @forward::boolean then p.position end, p.position desc
limit @row_limit;

-- name: PlanListOfSubscription :many
-- The plan it is on and the one it changes to at period end.
select sqlc.embed(p)
from subscriptions s
join plans p on p.environment_id = s.environment_id and p.id in (s.plan_id, s.pending_plan_id)
where s.environment_id = @environment_id and s.id = @subscription_id;

-- name: PriceListOfPlans :many
select sqlc.embed(r)
from prices r
where r.environment_id = @environment_id and r.plan_id = any(@plan_ids::text[])
order by r.plan_id, r.position;

-- name: PriceListWithKey :many
select sqlc.embed(r)
from api_keys k
join prices r on r.environment_id = k.environment_id and r.plan_id = @plan_id
where k.hash = @hash
order by r.position;

-- name: PriceListOfSubscription :many
select sqlc.embed(r)
from subscriptions s
join prices r on r.environment_id = s.environment_id and r.plan_id in (s.plan_id, s.pending_plan_id)
where s.environment_id = @environment_id and s.id = @subscription_id
order by r.plan_id, r.position;
