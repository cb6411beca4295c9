-- name: SubscriptionItemEnd :exec
update subscription_items set ended_at = @ended_at where environment_id = @environment_id and id = @id;

-- name: SubscriptionItemList :many
select sqlc.embed(n)
from subscription_items n
where n.environment_id = @environment_id and n.subscription_id = any(@subscription_ids::text[]) and n.ended_at is null
order by n.subscription_id, n.position;
