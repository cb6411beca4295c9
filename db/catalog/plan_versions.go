package catalog

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
)

// VersionID is the id of the row of one version of a plan: the first has the plan's id, later ones have their number
// behind a dot.
func VersionID(r plan.Ref) string {
	if r.Version <= 1 {
		return r.ID
	}
	return r.ID + "." + strconv.Itoa(r.Version)
}

// PlanRef reads what VersionID writes.
func PlanRef(rowID string) plan.Ref {
	id, number, later := strings.Cut(rowID, ".")
	if !later {
		return plan.Ref{ID: id, Version: min(len(id), 1)}
	}
	version, _ := strconv.Atoi(number) // plans.version is computed from it: the table takes nothing else
	return plan.Ref{ID: id, Version: version}
}

// errVersionNotFound says that the plan has no such version.
var errVersionNotFound = fault.New(fault.NotFound, "plan_not_found",
	"The plan does not have this version. Its versions are listed at GET /plans/{id}/versions.")

// PlanVersion reads one version of an existing plan with its prices. Fault: plan_not_found.
func (r Reader) PlanVersion(ctx context.Context, environmentID string, ref plan.Ref) (plan.Plan, error) {
	rowID := VersionID(ref)
	p, err := r.planBy(ctx,
		func(h dbsqlc.DBTX) (dbsqlc.Plan, error) {
			row, err := core.Queries.PlanGetVersion(ctx, h, dbsqlc.PlanGetVersionParams{EnvironmentID: environmentID, ID: rowID})
			return row.Plan, err
		},
		func(h dbsqlc.DBTX) ([]dbsqlc.Price, error) {
			rows, err := core.Queries.PriceListOfPlans(ctx, h, dbsqlc.PriceListOfPlansParams{
				EnvironmentID: environmentID, PlanIds: []string{rowID},
			})
			return core.Map(rows, func(row dbsqlc.PriceListOfPlansRow) dbsqlc.Price { return row.Price }), err
		})
	if errors.Is(err, core.ErrPlanNotFound) {
		err = errVersionNotFound
	}
	return p, err
}

// VersionsOf reads some versions of plans and add-ons, each named once, with their prices. Fault: plan_not_found.
func (r Reader) VersionsOf(ctx context.Context, environmentID string, refs []plan.Ref) ([]plan.Plan, error) {
	ids := core.Map(refs, VersionID)
	var plans []plan.Plan
	var prices []dbsqlc.PriceListOfPlansRow
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) error {
			found, err := core.Queries.PlanListByVersion(ctx, h,
				dbsqlc.PlanListByVersionParams{EnvironmentID: environmentID, Ids: ids})
			plans = core.Map(found, func(row dbsqlc.PlanListByVersionRow) plan.Plan { return PlanFromDB(row.Plan) })
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			prices, err = core.Queries.PriceListOfPlans(ctx, h,
				dbsqlc.PriceListOfPlansParams{EnvironmentID: environmentID, PlanIds: ids})
			return err
		})
	if err == nil && len(plans) < len(refs) {
		return nil, core.ErrPlanNotFound
	}
	addPrices(plans, prices)
	return plans, core.Translate("PlanListByVersion", err)
}

// PlanVersions lists the versions of a plan with their prices, the newest first. Fault: plan_not_found.
func (r Reader) PlanVersions(ctx context.Context, environmentID, planID string) ([]plan.Plan, error) {
	rows, err := core.Queries.PlanListVersions(ctx, r.Handle, dbsqlc.PlanListVersionsParams{
		EnvironmentID: environmentID, PlanID: planID, RowLimit: plan.MaxVersions,
	})
	if err != nil {
		return nil, core.Translate("PlanListVersions", err)
	}
	if len(rows) == 0 {
		return nil, core.ErrPlanNotFound
	}
	plans := core.Map(rows, func(row dbsqlc.PlanListVersionsRow) plan.Plan { return PlanFromDB(row.Plan) })
	return plans, AddPrices(ctx, r.Reader, environmentID, plans)
}

// AddPrices reads the prices of versions of plans.
func AddPrices(ctx context.Context, r core.Reader, environmentID string, plans []plan.Plan) error {
	ids := core.Map(plans, func(p plan.Plan) string { return VersionID(p.Ref()) })
	rows, err := core.Queries.PriceListOfPlans(ctx, r.Handle,
		dbsqlc.PriceListOfPlansParams{EnvironmentID: environmentID, PlanIds: ids})
	addPrices(plans, rows)
	return core.Translate("PriceListOfPlans", err)
}

func addPrices(plans []plan.Plan, rows []dbsqlc.PriceListOfPlansRow) {
	at := make(map[string]*plan.Plan, len(plans))
	for i := range plans {
		at[VersionID(plans[i].Ref())] = &plans[i]
	}
	for _, row := range rows {
		p := at[row.Price.PlanID]
		p.Prices = append(p.Prices, PriceFromDB(row.Price))
	}
}
