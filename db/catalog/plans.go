package catalog

import (
	"cmp"
	"context"
	"encoding/json"

	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/db/core"
	"perennial/db/internal/dbsqlc"
	"perennial/db/internal/rows"
)

// PlanFilter narrows a list; nil: any.
type PlanFilter struct {
	Active    *bool
	ProductID string // empty: any
	AddOn     *bool
}

// Plan reads one, in the version that new subscribers get, with its prices. Fault: plan_not_found.
func (r Reader) Plan(ctx context.Context, environmentID, id string) (plan.Plan, error) {
	return r.planBy(ctx,
		func(h dbsqlc.DBTX) (dbsqlc.Plan, error) {
			row, err := core.Queries.PlanGet(ctx, h, dbsqlc.PlanGetParams{EnvironmentID: environmentID, PlanID: id})
			return row.Plan, err
		},
		func(h dbsqlc.DBTX) ([]dbsqlc.Price, error) {
			rows, err := core.Queries.PriceListNewest(ctx, h,
				dbsqlc.PriceListNewestParams{EnvironmentID: environmentID, PlanID: id})
			return core.Map(rows, func(row dbsqlc.PriceListNewestRow) dbsqlc.Price { return row.Price }), err
		})
}

// planBy reads a plan in one way or another, and its prices with it.
func (r Reader) planBy(
	ctx context.Context, read func(dbsqlc.DBTX) (dbsqlc.Plan, error), list func(dbsqlc.DBTX) ([]dbsqlc.Price, error),
) (plan.Plan, error) {
	var row dbsqlc.Plan
	var prices []dbsqlc.Price
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = read(h)
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			prices, err = list(h)
			return err
		})
	if err != nil {
		return plan.Plan{}, core.ReadError("plan", err)
	}
	p := PlanFromDB(row)
	for _, price := range prices {
		p.Prices = append(p.Prices, PriceFromDB(price))
	}
	return p, nil
}

// PlanWithKey reads key and plan in one round trip. Faults: api_key_unknown; plan_not_found, with the key.
func (r Reader) PlanWithKey(ctx context.Context, hash []byte, id string) (core.APIKey, plan.Plan, error) {
	var row dbsqlc.PlanGetWithKeyRow
	var prices []dbsqlc.PriceListWithKeyRow
	err := r.Together(ctx,
		func(h dbsqlc.DBTX) (err error) {
			row, err = core.Queries.PlanGetWithKey(ctx, h, dbsqlc.PlanGetWithKeyParams{Hash: hash, PlanID: id})
			return err
		},
		func(h dbsqlc.DBTX) (err error) {
			prices, err = core.Queries.PriceListWithKey(ctx, h, dbsqlc.PriceListWithKeyParams{Hash: hash, PlanID: id})
			return err
		})
	if err != nil {
		key, err := r.WithoutResource(ctx, hash, "plan", err)
		return key, plan.Plan{}, err
	}
	p := PlanFromDB(row.Plan)
	for _, price := range prices {
		p.Prices = append(p.Prices, PriceFromDB(price.Price))
	}
	return core.APIKeyFromDB(row.ApiKeyDetail), p, nil
}

// Plans lists an environment's, with their prices.
func (r Reader) Plans(
	ctx context.Context, environmentID string, f PlanFilter, page core.Page,
) (plans []plan.Plan, hasMore bool, err error) {
	span, err := r.Bounds(ctx, environmentID, page)
	if err != nil {
		return nil, false, err
	}
	rows, err := core.Queries.PlanList(ctx, r.Lists(), dbsqlc.PlanListParams{
		EnvironmentID: environmentID, Active: f.Active, ProductID: core.Null(f.ProductID), AddOn: f.AddOn,
		Below: span.Below, Above: span.Above,
		Forward: page.Forward(), RowLimit: page.RowLimit(),
	})
	if err != nil {
		return nil, false, core.Translate("PlanList", err)
	}
	plans, hasMore = core.Cut(page, rows, func(row dbsqlc.PlanListRow) plan.Plan { return PlanFromDB(row.Plan) })
	return plans, hasMore, AddPrices(ctx, r.Reader, environmentID, plans)
}

// LockPlan reads one, in the version that new subscribers get, with its prices. No other transaction may change it or
// make a version of it until this one ends. Fault: plan_not_found.
func (tx *Tx) LockPlan(ctx context.Context, environmentID, id string) (plan.Plan, error) {
	_, err := core.Queries.PlanLock(ctx, tx.Pipe, dbsqlc.PlanLockParams{EnvironmentID: environmentID, ID: id})
	if err != nil {
		return plan.Plan{}, core.ReadError("plan", err)
	}
	return tx.Plan(ctx, environmentID, id)
}

// SavePlan writes the fields that may change: catalogue key, product, name, active, features, metadata, and the dunning
// policy and the measure of proration, with the actor who changed those. The caller holds the lock; was is the plan as
// it was read. Faults: plan_not_found, product_not_found.
func (tx *Tx) SavePlan(ctx context.Context, environmentID string, was, p plan.Plan) error {
	row := planRow(environmentID, p)
	if err := rows.PlanUpdate.Exec(ctx, tx.Pipe.OrElse(core.NotFound("plan")), &row); err != nil {
		return err
	}
	if was.ProrationMeasure != p.ProrationMeasure {
		before, _ := json.Marshal(was.ProrationMeasure) // texts
		after, _ := json.Marshal(p.ProrationMeasure)
		if err := tx.tenancy.NoteSetting(ctx, environmentID, p.ID, "proration_measure", before, after); err != nil {
			return err
		}
	}
	return tx.tenancy.NoteDunning(ctx, environmentID, p.ID, was.Dunning, p.Dunning)
}

// InsertPlan writes a plan, or a version of one, and its prices, which have their IDs. The caller holds
// the lock of a plan that it makes a version of.
func (tx *Tx) InsertPlan(ctx context.Context, environmentID string, p plan.Plan) error {
	row := planRow(environmentID, p)
	if err := rows.PlanInsert.Exec(ctx, tx.Pipe, &row); err != nil {
		return err
	}
	for i, price := range p.Prices {
		err := core.Queries.PriceInsert(ctx, tx.Pipe, dbsqlc.PriceInsertParams{
			ID: price.ID, EnvironmentID: environmentID, PlanID: VersionID(p.Ref()), Position: i, Name: price.Name,
			Model:  price.Model,
			Amount: price.Amount, Parameters: parameters(price), Once: price.Once,
			Arrears: price.Arrears, Currencies: core.NullMap(price.Currencies),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// planRow leaves out its prices, which have a table of their own.
func planRow(environmentID string, p plan.Plan) dbsqlc.Plan {
	return dbsqlc.Plan{
		ID: VersionID(p.Ref()), EnvironmentID: environmentID, PlanID: p.ID, CatalogKey: core.Null(p.Key),
		ProductID: core.Null(p.ProductID),
		Name:      p.Name, Currency: p.Currency, IntervalUnit: p.Interval.Unit, IntervalCount: p.Interval.Count,
		TrialDays: p.TrialDays, Active: p.Active, Dunning: core.DunningToDB(p.Dunning), Metadata: core.Present(p.Metadata),
		CreatedAt: p.CreatedAt, VersionCreatedAt: core.NullTime(p.VersionAt), ProrationMeasure: core.Null(p.ProrationMeasure),
		AddOn: p.AddOn, TrialEndBehavior: core.Null(p.TrialEnd), Metered: p.Metered, Features: core.NullList(p.Features),
	}
}

// PlanFromDB returns the plan of a row.
func PlanFromDB(row dbsqlc.Plan) plan.Plan {
	return plan.Plan{
		ID: row.PlanID, Key: core.Value(row.CatalogKey), ProductID: core.Value(row.ProductID), Version: row.Version,
		TaxCategory: core.Value(row.TaxCategory), Name: row.Name, Currency: row.Currency,
		Interval: period.Interval{Unit: row.IntervalUnit, Count: row.IntervalCount}, TrialDays: row.TrialDays,
		Active: row.Active, Dunning: core.DunningFromDB(row.Dunning), Metadata: row.Metadata, CreatedAt: row.CreatedAt,
		ProrationMeasure: core.Value(row.ProrationMeasure), AddOn: row.AddOn, TrialEnd: core.Value(row.TrialEndBehavior),
		Metered: row.Metered, Features: core.Value(row.Features),
		VersionAt: core.Value(cmp.Or(row.VersionCreatedAt, &row.CreatedAt)),
	}
}

// parameters returns the parameters of a price beyond its amount; nil: it is flat.
func parameters(price plan.Price) *rating.Price {
	if price.Model == rating.Flat {
		return nil
	}
	return &price.Price
}

// PriceFromDB returns the price of a row.
func PriceFromDB(row dbsqlc.Price) plan.Price {
	price := plan.Flat(row.ID, row.Name, row.Amount)
	if row.Parameters != nil {
		price.Price = *row.Parameters
	}
	price.Once, price.Arrears, price.Currencies = row.Once, row.Arrears, core.Value(row.Currencies)
	return price
}
