package db

import (
	"context"

	"perennial/billing/catalog"
	"perennial/billing/plan"
	"perennial/db/internal/dbsqlc"
)

// CatalogPlans reads the plans that have a catalogue key, and those with these ids, each in its newest version.
func (r Reader) CatalogPlans(ctx context.Context, environmentID string, ids []string) ([]plan.Plan, error) {
	rows, err := queries.CatalogList(ctx, r.handle,
		dbsqlc.CatalogListParams{EnvironmentID: environmentID, PlanIds: presentList(ids)})
	if err != nil {
		return nil, translate("CatalogList", err)
	}
	plans := refs(rows, func(row dbsqlc.CatalogListRow) plan.Plan { return planFromDB(row.Plan) })
	return plans, r.addPrices(ctx, environmentID, plans)
}

// LockCatalog is CatalogPlans under lock. A catalogue that is applied at the same time waits until the transaction
// ends. Fault: environment_not_found.
func (tx *Tx) LockCatalog(ctx context.Context, environmentID string, ids []string) ([]plan.Plan, error) {
	// The environment's row first: a plan that two files create has no row yet that one could wait for.
	if _, err := tx.LockSettings(ctx, environmentID); err != nil {
		return nil, err
	}
	_, err := queries.CatalogLock(ctx, tx.pipe,
		dbsqlc.CatalogLockParams{EnvironmentID: environmentID, PlanIds: presentList(ids)})
	if err != nil {
		return nil, translate("CatalogLock", err)
	}
	return tx.CatalogPlans(ctx, environmentID, ids)
}

// RunningOn counts the running subscriptions of plans and of add-ons, by plan.
func (r Reader) RunningOn(
	ctx context.Context, environmentID string, planIDs []string,
) (map[string][]catalog.Running, error) {
	running := map[string][]catalog.Running{}
	rows, err := queries.SubscriptionTallyOfPlans(ctx, r.handle,
		dbsqlc.SubscriptionTallyOfPlansParams{EnvironmentID: environmentID, PlanIds: presentList(planIDs)})
	if err != nil {
		return nil, translate("SubscriptionTallyOfPlans", err)
	}
	add := func(row dbsqlc.SubscriptionTallyOfPlansRow) {
		running[row.PlanID] = append(running[row.PlanID], catalog.Running{
			Version: row.Version, Currency: row.Currency, Quantity: row.Quantity, Pending: planRef(row.PendingPlanID), Ends: row.CancelAtPeriodEnd,
			Count: row.Subscriptions,
		})
	}
	for _, row := range rows {
		add(row)
	}
	beside, err := queries.SubscriptionTallyOfAddOns(ctx, r.handle,
		dbsqlc.SubscriptionTallyOfAddOnsParams{EnvironmentID: environmentID, PlanIds: presentList(planIDs)})
	for _, row := range beside {
		add(dbsqlc.SubscriptionTallyOfPlansRow(row))
	}
	return running, translate("SubscriptionTallyOfAddOns", err)
}
