package subscriptions

import (
	"context"
	"time"

	"perennial/billing/access"
	"perennial/billing/collection"
	"perennial/billing/plan"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// maxAccess bounds the subscriptions of one answer: the newest that have not ended.
const maxAccess = 100

// AccessClaims returns the subscriptions of a customer that may give access, newest first: all that have not ended, and
// the newest that has.
func (r Reader) AccessClaims(ctx context.Context, environmentID, customerID string) ([]access.Claim, error) {
	rows, err := core.Queries.SubscriptionListForAccess(ctx, r.Handle, dbsqlc.SubscriptionListForAccessParams{
		EnvironmentID: environmentID, CustomerID: customerID, RowLimit: maxAccess,
	})
	if err != nil {
		return nil, core.Translate("SubscriptionListForAccess", err)
	}
	claims := make([]access.Claim, len(rows))
	for i, row := range rows {
		claims[i].Subscription = SubscriptionFromDB(row.Subscription)
		if row.Phase != "" {
			claims[i].Collecting = &collection.State{Phase: row.Phase, Attempts: row.Attempts}
		}
	}
	return claims, nil
}

// Features returns the features of plans and add-ons, by their ids.
func (r Reader) Features(
	ctx context.Context, environmentID string, planIDs []string,
) (map[string]plan.Features, error) {
	features := map[string]plan.Features{}
	if len(planIDs) == 0 {
		return features, nil
	}
	rows, err := core.Queries.FeatureListForAccess(ctx, r.Handle,
		dbsqlc.FeatureListForAccessParams{EnvironmentID: environmentID, PlanIds: planIDs})
	for _, row := range rows {
		features[row.PlanID] = core.Value(row.Features)
	}
	return features, core.Translate("FeatureListForAccess", err)
}

// ToCancelForDebt lists the subscriptions of a customer that were there at a time, and have not ended.
func (r Reader) ToCancelForDebt(
	ctx context.Context, environmentID, customerID string, since time.Time, limit int,
) ([]string, error) {
	ids, err := core.Queries.SubscriptionListToCancelForDebt(ctx, r.Handle, dbsqlc.SubscriptionListToCancelForDebtParams{
		EnvironmentID: environmentID, CustomerID: customerID, Since: since, RowLimit: core.RowLimit(limit),
	})
	return ids, core.Translate("SubscriptionListToCancelForDebt", err)
}
