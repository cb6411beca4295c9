-- name: SubscriptionItemSave :exec
insert into subscription_items (environment_id, id, subscription_id, price_id, position, quantity, created_at)
values (@environment_id, @id, @subscription_id, @price_id, @position, @quantity, @created_at)
on conflict (environment_id, id) do update set position = excluded.position, quantity = excluded.quantity, ended_at = null;

-- name: SubscriptionItemEnd :exec
update subscription_items set ended_at = @ended_at where environment_id = @environment_id and id = @id;

-- name: SubscriptionItemList :many
select sqlc.embed(n)
from subscription_items n
where n.environment_id = @environment_id and n.subscription_id = any(@subscription_ids::text[]) and n.ended_at is null
order by n.subscription_id, n.position;
