package customers

import (
	"context"
	"errors"
	"fmt"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/usecase"
)

// checkFeatures refuses features of subscriptions that are not the customer's. before are the customer's former
// features. Fault: subscription_not_found.
func checkFeatures(
	ctx context.Context, tx *db.Tx, by usecase.Caller, c customer.Customer, before plan.FeatureOverrides,
) error {
	known := map[string]bool{"": true} // ids of subscriptions
	for _, o := range before {
		known[o.SubscriptionID] = true
	}
	for i, o := range c.Features {
		if known[o.SubscriptionID] {
			continue
		}
		of, err := tx.Subscriptions.Get(ctx, by.EnvironmentID, o.SubscriptionID)
		if err != nil && !errors.Is(err, db.ErrSubscriptionNotFound) {
			return err
		}
		if err != nil || of.CustomerID != c.ID {
			return fault.New(fault.NotFound, "subscription_not_found",
				"The customer has no subscription with this id. Omit `subscriptionId` for all of them.").
				In(fmt.Sprintf("features[%d].subscriptionId", i))
		}
		known[o.SubscriptionID] = true
	}
	return nil
}
