package subscriptions

import (
	"context"
	"slices"
	"time"

	"perennial/billing/subscription"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// SaveItems writes new and changed items of a subscription, and ends removed ones.
func (tx *Tx) SaveItems(
	ctx context.Context, environmentID string, s subscription.Subscription, changed []subscription.Item, ended []string,
) error {
	for _, item := range changed {
		row := itemRow(environmentID, s.ID, slices.Index(s.Items, item), item, tx.Now)
		if err := rows.SubscriptionItemSave.Exec(ctx, tx.Pipe, &row); err != nil {
			return err
		}
	}
	for _, id := range ended {
		err := core.Queries.SubscriptionItemEnd(ctx, tx.Pipe, dbsqlc.SubscriptionItemEndParams{
			EnvironmentID: environmentID, ID: id, EndedAt: &tx.Now,
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ItemsOf reads the items of subscriptions, by subscription.
func ItemsOf(
	ctx context.Context, h dbsqlc.DBTX, environmentID string, subscriptionIDs ...string,
) (map[string][]subscription.Item, error) {
	rows, err := core.Queries.SubscriptionItemList(ctx, h, dbsqlc.SubscriptionItemListParams{
		EnvironmentID: environmentID, SubscriptionIds: subscriptionIDs,
	})
	items := make(map[string][]subscription.Item, len(subscriptionIDs))
	for _, row := range rows {
		of := row.SubscriptionItem.SubscriptionID
		items[of] = append(items[of], itemFromDB(row.SubscriptionItem))
	}
	return items, err
}

func itemRow(
	environmentID, subscriptionID string, position int, item subscription.Item, createdAt time.Time,
) dbsqlc.SubscriptionItem {
	return dbsqlc.SubscriptionItem{
		EnvironmentID: environmentID, ID: item.ID, SubscriptionID: subscriptionID, PriceID: item.PriceID, Position: position,
		Quantity: item.Quantity, Joined: item.Joined, CreatedAt: createdAt,
	}
}

func itemFromDB(row dbsqlc.SubscriptionItem) subscription.Item {
	return subscription.Item{ID: row.ID, PriceID: row.PriceID, Quantity: row.Quantity, Joined: row.Joined}
}
