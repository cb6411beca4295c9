package rows

var newSubscriptionItem = subscriptionItems.but("ended_at")

// SubscriptionItemSave writes an item, including one that was ended before.
var SubscriptionItemSave = subscriptionItems.statement("SubscriptionItemSave", `
insert into subscription_items ({columns}) values ({values})
on conflict (environment_id, id) do update set
    position = excluded.position, price_id = excluded.price_id, quantity = excluded.quantity,
    joined = excluded.joined, ended_at = null`,
	newSubscriptionItem, nil)

// SubscriptionItemCopy writes the items of subscriptions that the same transaction inserts.
var SubscriptionItemCopy = subscriptionItems.copying(newSubscriptionItem)
