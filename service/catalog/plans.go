package catalog

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"perennial/billing/audit"
	"perennial/billing/dunning"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/text"
	"perennial/db"
	"perennial/internal/id"
	"perennial/service/usecase"
)

// CreatePlan stores p, whose ids and dates are made here.
func (s *Service) CreatePlan(
	ctx context.Context, by usecase.Caller, p plan.Plan, also usecase.Also[plan.Plan],
) (plan.Plan, error) {
	p, err := s.newPlan(p)
	if err != nil {
		return plan.Plan{}, err
	}
	return usecase.Transact(ctx, s.Base, by, also,
		func(tx *db.Tx) (plan.Plan, error) { return insertPlan(ctx, tx, by, p) })
}

// newPlan returns the first version of a plan that is made now, active unless p is of a catalogue file that says
// otherwise.
func (s *Service) newPlan(p plan.Plan) (plan.Plan, error) {
	now := s.Now()
	p.ID, p.Version, p.CreatedAt, p.VersionAt = id.New(id.Plan, now), 1, now, now
	p.Active = p.Active || p.Key == ""
	for i := range p.Prices {
		p.Prices[i].ID = id.New(id.Price, now)
	}
	return p, fault.Joined(p.Validate(), CheckNames(p), p.Metadata.Check())
}

// insertPlan writes a new plan, and announces it.
func insertPlan(ctx context.Context, tx *db.Tx, by usecase.Caller, p plan.Plan) (plan.Plan, error) {
	if err := checkPlanChargeable(ctx, &tx.Payments, by, p, nil); err != nil {
		return p, err
	}
	var err error
	if p.Metered, err = resolved(ctx, tx.Usage, by, nil, p.Metered, p.CreatedAt); err != nil {
		return p, err
	}
	if err := checkFeatures(ctx, tx.Usage, by, p.Features); err != nil {
		return p, err
	}
	if err := tx.Catalog.InsertPlan(ctx, by.EnvironmentID, p); err != nil {
		return p, err
	}
	return p, tx.Emit(ctx, by.EnvironmentID, event.New(event.PlanCreated{ID: p.ID}, p.CreatedAt))
}

// limiter is a transaction, or a store.
type limiter interface {
	ChargeLimits(ctx context.Context, environmentID string, currency money.Currency) (money.Limits, error)
}

// checkPlanChargeable refuses a plan that is sold in a currency which no provider of the environment takes: the first
// to notice would else be a customer, when the first invoice cannot be collected. Those of known were judged before.
func checkPlanChargeable(ctx context.Context, l limiter, by usecase.Caller, p plan.Plan, known []money.Currency) error {
	for _, c := range p.Currencies() {
		if slices.Contains(known, c) {
			continue
		}
		param := "currency"
		if c != p.Currency {
			param = fmt.Sprintf("prices[0].currencies.%s", c)
		}
		limits, err := l.ChargeLimits(ctx, by.EnvironmentID, c)
		if err != nil {
			return err
		}
		if limits.Unchargeable {
			return ErrUnchargeable.In(param)
		}
	}
	return nil
}

// ErrUnchargeable refuses a currency that no account takes.
var ErrUnchargeable = fault.New(fault.Invalid, "currency_not_chargeable",
	"The payment provider of this environment does not support this currency. Choose another currency.")

// CheckNames refuses names of a plan and its prices that people cannot read. Faults: those of text.Check.
func CheckNames(p plan.Plan) error {
	if err := text.Check("name", p.Name); err != nil {
		return err
	}
	for i, price := range p.Prices {
		if err := text.Check(fmt.Sprintf("prices[%d].name", i), price.Name); err != nil {
			return err
		}
	}
	return checkMeteredNames(p.Metered)
}

// PlanUpdate changes the fields that are not nil. It cannot change what was sold to subscriptions.
type PlanUpdate struct {
	Active    *bool
	Name      *string
	ProductID *string         // empty: none
	Metadata  *metadata.Pairs // replaces all
	Features  *plan.Features  // replaces all
	// ProrationMeasure counts for periods that begin from now on; empty: the environment's.
	ProrationMeasure *proration.Measure
	// Dunning replaces the plan's policy; one without a policy inside takes it away.
	Dunning *PlanDunning
}

// PlanDunning is a choice of a dunning policy: the plan's own, or the environment's.
type PlanDunning struct {
	Policy *dunning.Policy // nil: the environment's
}

// apply changes p and names the fields that changed. Names only: a receiver that wants the values reads the plan, which
// may have changed again.
func (u PlanUpdate) apply(p *plan.Plan) (changed []string) {
	if u.Active != nil && *u.Active != p.Active {
		p.Active, changed = *u.Active, append(changed, "active")
	}
	if u.Name != nil && *u.Name != p.Name {
		p.Name, changed = *u.Name, append(changed, "name")
	}
	if u.ProductID != nil && *u.ProductID != p.ProductID {
		p.ProductID, changed = *u.ProductID, append(changed, "productId")
	}
	if u.Metadata != nil && !maps.Equal(*u.Metadata, p.Metadata) {
		p.Metadata, changed = *u.Metadata, append(changed, "metadata")
	}
	if u.Features != nil && !u.Features.Same(p.Features) {
		p.Features, changed = *u.Features, append(changed, "features")
	}
	if u.ProrationMeasure != nil && *u.ProrationMeasure != p.ProrationMeasure {
		p.ProrationMeasure, changed = *u.ProrationMeasure, append(changed, "prorationMeasure")
	}
	if u.Dunning != nil && !reflect.DeepEqual(u.Dunning.Policy, p.Dunning) {
		p.Dunning, changed = u.Dunning.Policy, append(changed, "dunning")
	}
	return changed
}

// UpdatePlan changes a plan, and announces what changed if anything did.
func (s *Service) UpdatePlan(
	ctx context.Context, by usecase.Caller, planID string, u PlanUpdate, also usecase.Also[plan.Plan],
) (plan.Plan, error) {
	if u.Name != nil {
		if err := text.Check("name", *u.Name); err != nil {
			return plan.Plan{}, err
		}
	}
	if u.Metadata != nil {
		if err := u.Metadata.Check(); err != nil {
			return plan.Plan{}, err
		}
	}
	if u.Features != nil {
		if err := u.Features.Check(); err != nil {
			return plan.Plan{}, err
		}
	}
	if u.Dunning != nil && u.Dunning.Policy != nil {
		if err := u.Dunning.Policy.Validate(); err != nil {
			return plan.Plan{}, err
		}
	}
	return usecase.Transact(ctx, s.Base, by, also, func(tx *db.Tx) (plan.Plan, error) {
		p, err := tx.Catalog.LockPlan(ctx, by.EnvironmentID, planID)
		if err != nil {
			return p, err
		}
		was := p
		changed := u.apply(&p)
		tx.AuditChanges(audit.Changes("plan", changed, was, p)...)
		// No event without a change: an app may send its whole catalogue every night.
		if len(changed) == 0 {
			return p, nil
		}
		if err := p.CheckAddOn(); err != nil {
			return p, err
		}
		if u.Features != nil {
			if err := checkFeatures(ctx, tx.Usage, by, p.Features); err != nil {
				return p, err
			}
		}
		if err := tx.Catalog.SavePlan(ctx, by.EnvironmentID, was, p); err != nil {
			return p, err
		}
		return p, tx.Emit(ctx, by.EnvironmentID, event.New(event.PlanUpdated{ID: p.ID, Changed: changed}, s.Now()))
	})
}
