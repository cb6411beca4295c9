package catalog

import (
	"cmp"
	"context"
	"slices"

	"perennial/billing/event"
	"perennial/billing/metered"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// NewPlanVersion has the fields of a new version of a plan.
type NewPlanVersion struct {
	Prices    []plan.Price  // without ids; empty: the current version's
	ByAmount  bool          // Prices is one flat price, given by its amount in the plan's own currency
	TrialDays *int          // nil: the current version's
	TrialEnd  plan.TrialEnd // empty: the current version's
	Metered   metered.Revision
}

// terms returns the terms of the version.
func (in NewPlanVersion) terms(p plan.Plan) plan.Terms {
	t := p.Terms()
	if len(in.Prices) > 0 {
		t.Prices = in.Prices
	}
	if in.TrialDays != nil {
		t.TrialDays = *in.TrialDays
	}
	t.TrialEnd = cmp.Or(in.TrialEnd, t.TrialEnd)
	t.Metered = in.Metered.Of(t.Metered)
	return t
}

// CreatePlanVersion creates the version of a plan that new subscribers get from now on. Subscriptions keep theirs.
// Faults: plan_not_found, currency_not_chargeable, those of plan.Plan.AmountAlone and plan.Plan.Next.
func (s *Service) CreatePlanVersion(
	ctx context.Context, by usecase.Caller, planID string, in NewPlanVersion, also usecase.Also[plan.Plan],
) (plan.Plan, error) {
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (plan.Plan, error) {
		p, err := tx.Catalog.LockPlan(ctx, by.EnvironmentID, planID)
		if err != nil {
			return p, err
		}
		return s.insertPlanVersion(ctx, tx, by, p, in)
	})
}

// insertPlanVersion writes the next version of a locked plan, and announces its changes.
func (s *Service) insertPlanVersion(
	ctx context.Context, tx *db.Tx, by usecase.Caller, p plan.Plan, in NewPlanVersion,
) (plan.Plan, error) {
	now := s.Now()
	if in.ByAmount {
		if err := p.AmountAlone(); err != nil {
			return p, err
		}
	}
	var err error
	terms := in.terms(p)
	if terms.Metered, err = resolved(ctx, tx.Usage, by, p.Metered, terms.Metered, now); err != nil {
		return p, err
	}
	terms.Prices = slices.Clone(terms.Prices)
	for i := range terms.Prices {
		terms.Prices[i].ID = id.New(id.Price, now)
	}
	changed := append([]string{"version"}, terms.Changed(p.Terms())...)
	next, err := p.Next(terms, now)
	if err != nil {
		return next, err
	}
	if err := CheckNames(next); err != nil {
		return next, err
	}
	if err := checkPlanChargeable(ctx, &tx.Payments, by, next, p.Currencies()); err != nil {
		return next, err
	}
	if err := tx.Catalog.InsertPlan(ctx, by.EnvironmentID, next); err != nil {
		return next, err
	}
	return next, tx.Emit(ctx, by.EnvironmentID, event.New(event.PlanUpdated{ID: p.ID, Changed: changed}, now))
}
