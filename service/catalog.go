package service

import (
	"context"
	"slices"

	"perennial/billing/catalog"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/plan"
	"perennial/db"
)

// CatalogChange is what a catalogue file changes about one plan.
type CatalogChange struct {
	catalog.Change
	catalog.Effect // of the newest version on running subscriptions, once the change is made
}

// Moves reports whether running subscriptions are to be moved to the newest version.
func (c CatalogChange) Moves() bool { return c.Migrate == catalog.AtPeriodEnd && c.Behind > 0 }

// DiffCatalog returns what a catalogue file would change, and writes nothing; of plans that stay as they are, those
// whose running subscriptions it would move, or asks about. Faults: those of catalog.Plan.Check and catalog.Diff, which
// name the plan's key and the field.
func (s *Service) DiffCatalog(ctx context.Context, by Caller, want []catalog.Plan) ([]CatalogChange, error) {
	if err := checkCatalog(want); err != nil {
		return nil, err
	}
	held, err := s.store.CatalogPlans(ctx, by.EnvironmentID, adopted(want))
	if err != nil {
		return nil, err
	}
	changes, err := catalog.Diff(held, want)
	if err != nil {
		return nil, err
	}
	return effects(ctx, s.store.Reader, by, changes)
}

// ApplyCatalog makes the plans of a catalogue file true, all in one transaction, and returns what it changed. What is
// applied again changes nothing; of two that are applied at the same time, one waits for the other. It moves no
// subscription: MigratePlan does, one at a time. Faults: those of DiffCatalog, and of the creation of a plan.
func (s *Service) ApplyCatalog(ctx context.Context, by Caller, want []catalog.Plan) ([]CatalogChange, error) {
	if err := checkCatalog(want); err != nil {
		return nil, err
	}
	return transact(ctx, s, by, nil, func(tx *db.Tx) ([]CatalogChange, error) {
		held, err := tx.LockCatalog(ctx, by.EnvironmentID, adopted(want))
		if err != nil {
			return nil, err
		}
		changes, err := catalog.Diff(held, want)
		if err != nil {
			return nil, err
		}
		for i := range changes {
			if changes[i].To, err = s.carryOutCatalog(ctx, tx, by, changes[i]); err != nil {
				return nil, inPlan(changes[i].To.Key, err)
			}
		}
		return effects(ctx, tx.Reader, by, changes)
	})
}

// carryOutCatalog makes one change true, and returns the plan as it is then.
func (s *Service) carryOutCatalog(ctx context.Context, tx *db.Tx, by Caller, c catalog.Change) (plan.Plan, error) {
	switch {
	case !c.Differs():
		return *c.Was, nil
	case c.Was == nil:
		p, err := s.newPlan(c.To)
		if err == nil {
			err = findProduct(ctx, tx, by, p.ProductID)
		}
		if err != nil {
			return c.To, err
		}
		return insertPlan(ctx, tx, by, p)
	}
	if err := findProduct(ctx, tx, by, c.To.ProductID); err != nil {
		return c.To, err
	}
	p, versioned := *c.Was, []string{"prices", "trialDays"}
	p.Key, p.ProductID, p.Name, p.Active = c.To.Key, c.To.ProductID, c.To.Name, c.To.Active
	p.Dunning, p.Metadata, p.ProrationMeasure = c.To.Dunning, c.To.Metadata, c.To.ProrationMeasure
	if err := checkNames(c.To); err != nil {
		return c.To, err
	}
	own := slices.DeleteFunc(slices.Clone(c.Fields), func(f string) bool { return slices.Contains(versioned, f) })
	if len(own) > 0 {
		if err := tx.SavePlan(ctx, by.EnvironmentID, *c.Was, p); err != nil {
			return p, err
		}
		updated := event.New(event.PlanUpdated{ID: p.ID, Changed: own}, s.now())
		if err := tx.Emit(ctx, by.EnvironmentID, updated); err != nil {
			return p, err
		}
	}
	if !c.NewVersion() {
		return p, nil
	}
	return s.insertPlanVersion(ctx, tx, by, p, NewPlanVersion{Prices: c.To.Prices, TrialDays: &c.To.TrialDays})
}

// findProduct refuses a product that is not there, while it is still known which plan names it: the database says so
// only when all is written.
func findProduct(ctx context.Context, tx *db.Tx, by Caller, productID string) error {
	if productID == "" {
		return nil
	}
	_, err := tx.LockProduct(ctx, by.EnvironmentID, productID)
	return inParam(err, "productId")
}

// effects adds what the newest versions mean for running subscriptions, and leaves out plans about which there is
// nothing to do or say.
func effects(ctx context.Context, r db.Reader, by Caller, changes []catalog.Change) ([]CatalogChange, error) {
	var ids []string
	for _, c := range changes {
		if c.Was != nil {
			ids = append(ids, c.Was.ID)
		}
	}
	running, err := r.RunningOn(ctx, by.EnvironmentID, ids)
	if err != nil {
		return nil, err
	}
	var out []CatalogChange
	for _, c := range changes {
		change := CatalogChange{Change: c}
		if c.Was != nil && len(running[c.Was.ID]) > 0 {
			if change.Effect, err = effectOf(ctx, r, by, c, running[c.Was.ID]); err != nil {
				return nil, inPlan(c.To.Key, err)
			}
		}
		if c.Differs() || change.Behind > 0 && c.Migrate != catalog.Keep {
			out = append(out, change)
		}
	}
	return out, nil
}

// effectOf is catalog.EffectOf on the version that a change leads to, whether it is written already or not.
func effectOf(
	ctx context.Context, r db.Reader, by Caller, c catalog.Change, running []catalog.Running,
) (catalog.Effect, error) {
	to := c.To
	if c.NewVersion() {
		to.Version = c.Was.Version + 1
	}
	versions, err := r.PlanVersions(ctx, by.EnvironmentID, c.Was.ID)
	if err != nil {
		return catalog.Effect{}, err
	}
	return catalog.EffectOf(to, versions, running)
}

// checkCatalog refuses plans that no catalogue can have.
func checkCatalog(want []catalog.Plan) error {
	if len(want) > catalog.MaxPlans {
		return fault.New(fault.Invalid, "catalog_too_large",
			"The file has %d plans. A catalogue has at most %d.", len(want), catalog.MaxPlans)
	}
	for _, w := range want {
		if err := joined(w.Check(), checkNames(w.Plan), w.Metadata.Check()); err != nil {
			return inPlan(w.Key, err)
		}
	}
	return nil
}

// adopted are the plans that the file names by their ids.
func adopted(want []catalog.Plan) (ids []string) {
	for _, w := range want {
		if w.ID != "" {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// inPlan has a fault name the plan's key before the field.
func inPlan(key string, err error) error {
	f := fault.From(err)
	if f == nil || !f.Refusal() {
		return err
	}
	if f.Param == "" {
		return f.In(key)
	}
	return f.In(key + "." + f.Param)
}
