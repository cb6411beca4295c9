package customers

import (
	"context"
	"time"

	"perennial/billing/entitlement"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// NoteLimitReached records that a customer reached the limit of a feature; first is false where it was recorded before.
func (tx *Tx) NoteLimitReached(
	ctx context.Context, environmentID, customerID string, of entitlement.Answer, at time.Time,
) (first bool, err error) {
	noted, err := core.Queries.FeatureLimitReachedInsert(ctx, tx.Handle, dbsqlc.FeatureLimitReachedInsertParams{
		EnvironmentID: environmentID, CustomerID: customerID, Feature: of.Feature, Most: *of.Limit,
		ResetsAt: core.NullTime(of.ResetsAt), ReachedAt: at,
	})
	return len(noted) > 0, core.Translate("FeatureLimitReachedInsert", err)
}
