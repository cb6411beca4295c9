-- name: CatalogLock :many
-- Locks the plans of the catalogue file, and those that it adopts, until the transaction ends: they cannot be changed,
-- or get new versions, meanwhile. In id order, so that two transactions that lock the same plans do so in the same
-- order.
select p.id
from plans p
where p.environment_id = @environment_id and p.version = 1
  and (p.catalog_key is not null or p.id = any(@plan_ids::text[]))
order by p.id
for no key update;

-- name: CatalogList :many
-- The newest version of each of these plans, in the order in which the plans were created.
select sqlc.embed(p)
from plans f
cross join lateral (
    select n.id from plans n where n.environment_id = f.environment_id and n.plan_id = f.id order by n.version desc limit 1) newest
join plans p on p.environment_id = f.environment_id and p.id = newest.id
where f.environment_id = @environment_id and f.version = 1
  and (f.catalog_key is not null or f.id = any(@plan_ids::text[]))
order by f.position;

-- name: SubscriptionTallyOfPlans :many
-- The running subscriptions of plans, counted by what their next period costs. Each version's come from an index.
select p.plan_id, p.version, s.currency, coalesce(s.pending_quantity, s.quantity)::bigint as quantity,
    coalesce(s.pending_plan_id, '')::text as pending_plan_id, s.cancel_at_period_end, count(*) as subscriptions
from plans p
join subscriptions s on s.environment_id = p.environment_id and s.plan_id = p.id
where p.environment_id = @environment_id and p.plan_id = any(@plan_ids::text[]) and s.status <> 'canceled'
group by 1, 2, 3, 4, 5, 6
order by 1, 2, 3, 4, 5, 6;

-- name: SubscriptionTallyOfAddOns :many
-- The running subscriptions of add-ons, counted by what their next period costs. Where another list waits for the period's
-- end that does not have the add-on, they leave it.
select p.plan_id, p.version, s.currency, coalesce(n.quantity, s.add_on_quantities[array_position(s.add_on_ids, p.id)])::bigint as quantity,
    (case when s.pending_add_on_ids is null then '' else coalesce(n.id, 'none') end)::text as pending_plan_id, s.cancel_at_period_end,
    count(*) as subscriptions
from plans p
join subscriptions s on s.environment_id = p.environment_id and s.add_on_ids <> '{}' and s.add_on_ids @> array[p.id]
left join lateral (
    select s.pending_add_on_ids[i] as id, s.pending_add_on_quantities[i] as quantity
    from generate_subscripts(s.pending_add_on_ids, 1) i
    where split_part(s.pending_add_on_ids[i], '.', 1) = p.plan_id) n on true
where p.environment_id = @environment_id and p.plan_id = any(@plan_ids::text[]) and p.add_on and s.status <> 'canceled'
group by 1, 2, 3, 4, 5, 6
order by 1, 2, 3, 4, 5, 6;

-- name: CatalogEntryList :many
select e.kind, e.key, e.object_id from catalog_entries e
where e.environment_id = @environment_id
order by e.kind, e.key;

-- name: CatalogEntryPut :exec
-- An object has one key, which another file may change.
insert into catalog_entries (environment_id, kind, key, object_id)
values (@environment_id, @kind, @key, @object_id)
on conflict (environment_id, kind, object_id) do update set key = excluded.key;
