package catalog

import (
	"context"

	"perennial/billing/catalog"
	"perennial/billing/plan"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// CatalogPlans reads the plans that have a catalogue key, and those with these ids, each in its newest version.
func (r Reader) CatalogPlans(ctx context.Context, environmentID string, ids []string) ([]plan.Plan, error) {
	rows, err := core.Queries.CatalogList(ctx, r.Handle,
		dbsqlc.CatalogListParams{EnvironmentID: environmentID, PlanIds: core.PresentList(ids)})
	if err != nil {
		return nil, core.Translate("CatalogList", err)
	}
	plans := core.Map(rows, func(row dbsqlc.CatalogListRow) plan.Plan { return PlanFromDB(row.Plan) })
	return plans, AddPrices(ctx, r.Reader, environmentID, plans)
}

// LockCatalog is CatalogPlans under lock. A catalogue that is applied at the same time waits until the transaction
// ends. Fault: environment_not_found.
func (tx *Tx) LockCatalog(ctx context.Context, environmentID string, ids []string) ([]plan.Plan, error) {
	// The environment's row first: a plan that two files create has no row yet that one could wait for.
	if _, err := tx.tenancy.LockSettings(ctx, environmentID); err != nil {
		return nil, err
	}
	_, err := core.Queries.CatalogLock(ctx, tx.Pipe,
		dbsqlc.CatalogLockParams{EnvironmentID: environmentID, PlanIds: core.PresentList(ids)})
	if err != nil {
		return nil, core.Translate("CatalogLock", err)
	}
	return tx.CatalogPlans(ctx, environmentID, ids)
}

// RunningOn counts the running subscriptions of plans and of add-ons, by plan.
func (r Reader) RunningOn(
	ctx context.Context, environmentID string, planIDs []string,
) (map[string][]catalog.Running, error) {
	running := map[string][]catalog.Running{}
	rows, err := core.Queries.SubscriptionTallyOfPlans(ctx, r.Handle,
		dbsqlc.SubscriptionTallyOfPlansParams{EnvironmentID: environmentID, PlanIds: core.PresentList(planIDs)})
	if err != nil {
		return nil, core.Translate("SubscriptionTallyOfPlans", err)
	}
	add := func(row dbsqlc.SubscriptionTallyOfPlansRow) {
		running[row.PlanID] = append(running[row.PlanID], catalog.Running{
			Version: row.Version, Currency: row.Currency, Quantity: row.Quantity, Pending: PlanRef(row.PendingPlanID),
			Ends:  row.CancelAtPeriodEnd,
			Count: row.Subscriptions,
		})
	}
	for _, row := range rows {
		add(row)
	}
	beside, err := core.Queries.SubscriptionTallyOfAddOns(ctx, r.Handle,
		dbsqlc.SubscriptionTallyOfAddOnsParams{EnvironmentID: environmentID, PlanIds: core.PresentList(planIDs)})
	for _, row := range beside {
		add(dbsqlc.SubscriptionTallyOfPlansRow(row))
	}
	return running, core.Translate("SubscriptionTallyOfAddOns", err)
}
