package catalog

import (
	"cmp"
	"context"
	"slices"

	"perennial/billing/audit"
	"perennial/billing/catalog"
	"perennial/billing/discount"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/db"
	"perennial/service/usecase"
)

// WantedCatalog has the contents of a catalogue file.
type WantedCatalog struct {
	Plans []catalog.Plan
	catalog.Items
	AllowArchive bool // also of most plans, or objects of another kind, that are there
}

// FileChanges are the changes of a catalogue file.
type FileChanges struct {
	Plans []Change
	catalog.ItemChanges
}

// changes returns the changes that lead to the file's plans. Faults: those of catalog.Diff and catalog.CheckArchived.
func (w WantedCatalog) changes(held []plan.Plan) ([]catalog.Change, error) {
	changes, err := catalog.Diff(held, w.Plans)
	if err == nil && !w.AllowArchive {
		err = catalog.CheckArchived(changes)
	}
	return changes, err
}

// Change is a catalogue file's change of one plan.
type Change struct {
	catalog.Change
	catalog.Effect // of the newest version on running subscriptions, once the change is made
}

// Moves reports whether running subscriptions are to be moved to the newest version.
func (c Change) Moves() bool { return c.Migrate == catalog.AtPeriodEnd && c.Behind > 0 }

// DiffCatalog returns the changes of a catalogue file, and writes nothing; of unchanged plans, those whose running
// subscriptions it would move, or asks about. It refuses the same files as ApplyCatalog. Faults: those of
// catalog.Plan.Check, catalog.Diff, itemChanges and the creation of a plan, which name the key and the field;
// catalog_too_large, catalog_archives_most.
func (s *Service) DiffCatalog(
	ctx context.Context, by usecase.Caller, want WantedCatalog,
) (out FileChanges, err error) {
	if err := checkCatalog(want); err != nil {
		return out, err
	}
	held, err := s.Store.Catalog.CatalogPlans(ctx, by.EnvironmentID, adopted(want.Plans))
	if err != nil {
		return out, err
	}
	if out.ItemChanges, want.Plans, err = s.itemChanges(ctx, s.Store.Reader, by, held, want); err != nil {
		return out, err
	}
	changes, err := want.changes(held)
	if err != nil {
		return out, err
	}
	metrics := fileMetrics{s.Store.Usage, out.Metrics}
	for _, c := range changes {
		var known []money.Currency
		if c.Was != nil {
			known = c.Was.Currencies()
		}
		if err := checkPlanChargeable(ctx, s.Store, by, c.To, known); err != nil {
			return out, inPlan(c.To.Key, err)
		}
		if _, err := resolved(ctx, metrics, by, nil, c.To.Metered, s.Now()); err != nil {
			return out, inPlan(c.To.Key, err)
		}
		if err := checkFeatures(ctx, metrics, by, c.To.Features); err != nil {
			return out, inPlan(c.To.Key, err)
		}
	}
	out.Plans, err = s.effects(ctx, by, changes)
	return out, err
}

// ApplyCatalog makes a catalogue file true, all in one transaction, and returns its changes: products, tax rates and
// metrics first, then plans, then coupons. Applying a file again changes nothing; of two files that are applied at the
// same time, one waits for the other. It moves no subscription: MigrateCatalogPlan does, one at a time. Faults: those
// of DiffCatalog.
func (s *Service) ApplyCatalog(
	ctx context.Context, by usecase.Caller, want WantedCatalog,
) (out FileChanges, err error) {
	if err := checkCatalog(want); err != nil {
		return out, err
	}
	changes, err := usecase.Transact(ctx, s.Base, by, nil, func(tx *db.Tx) ([]catalog.Change, error) {
		want := want // of this attempt
		held, err := tx.Catalog.LockCatalog(ctx, by.EnvironmentID, adopted(want.Plans))
		if err != nil {
			return nil, err
		}
		if out.ItemChanges, want.Plans, err = s.itemChanges(ctx, tx.Reader, by, held, want); err != nil {
			return nil, err
		}
		changes, err := want.changes(held)
		if err != nil {
			return nil, err
		}
		a := applying{s, tx, by}
		if err := a.beforePlans(ctx, out.ItemChanges); err != nil {
			return nil, err
		}
		ids := map[string]string{}
		for i := range changes {
			if changes[i].To, err = s.carryOutCatalog(ctx, tx, by, changes[i]); err != nil {
				return nil, inPlan(changes[i].To.Key, err)
			}
			ids[changes[i].To.Key] = changes[i].To.ID
			tx.AuditChanges(audited(changes[i])...)
		}
		return changes, eachItem(catalog.CouponKind, out.Coupons,
			func(c catalog.ItemChange[discount.Coupon]) error { return a.coupon(ctx, c, ids) })
	})
	if err != nil {
		return FileChanges{}, err
	}
	out.Plans, err = s.effects(ctx, by, changes) // once it is done: to count takes long, and would hold the plans locked
	return out, err
}

// audited returns the changes of a catalogue's plan for the audit log.
func audited(c catalog.Change) []audit.Change {
	if c.Was == nil {
		return []audit.Change{{ObjectID: c.To.ID, Field: "created"}}
	}
	return audit.Of(c.To.ID, audit.Changes("plan", c.Fields, *c.Was, c.To))
}

// carryOutCatalog makes one change true, and returns the plan as it is then.
func (s *Service) carryOutCatalog(
	ctx context.Context, tx *db.Tx, by usecase.Caller, c catalog.Change,
) (plan.Plan, error) {
	switch {
	case !c.Differs():
		return *c.Was, nil
	case c.Was == nil:
		p, err := s.newPlan(c.To)
		if err != nil {
			return c.To, err
		}
		return insertPlan(ctx, tx, by, p)
	}
	p := *c.Was
	p.Key, p.Name, p.Active, p.Dunning = c.To.Key, c.To.Name, c.To.Active, c.To.Dunning
	p.ProrationMeasure, p.Metadata, p.Features = c.To.ProrationMeasure, c.To.Metadata, c.To.Features
	p.ProductID = c.To.ProductID
	if own := c.Unversioned(); len(own) > 0 {
		if err := checkFeatures(ctx, tx.Usage, by, p.Features); err != nil {
			return p, err
		}
		if err := tx.Catalog.SavePlan(ctx, by.EnvironmentID, *c.Was, p); err != nil {
			return p, err
		}
		updated := event.New(event.PlanUpdated{ID: p.ID, Changed: own}, s.Now())
		if err := tx.Emit(ctx, by.EnvironmentID, updated); err != nil {
			return p, err
		}
	}
	if !c.NewVersion() {
		return p, nil
	}
	return s.insertPlanVersion(ctx, tx, by, p,
		NewPlanVersion{
			Prices: c.To.Prices, TrialDays: &c.To.TrialDays, TrialEnd: cmp.Or(c.To.TrialEnd, plan.TrialEndInvoice),
			Metered: metered.Replaced(c.To.Metered),
		})
}

// effects adds the effects of the newest versions on running subscriptions, and leaves out plans without a change or an
// effect.
func (s *Service) effects(ctx context.Context, by usecase.Caller, changes []catalog.Change) ([]Change, error) {
	var ids []string
	for _, c := range changes {
		if c.Was != nil && (c.Differs() || c.Migrate != catalog.Keep) {
			ids = append(ids, c.Was.ID)
		}
	}
	running, err := s.Store.Catalog.RunningOn(ctx, by.EnvironmentID, ids)
	if err != nil {
		return nil, err
	}
	var out []Change
	for _, c := range changes {
		change := Change{Change: c}
		if c.Was != nil && len(running[c.Was.ID]) > 0 {
			if change.Effect, err = s.effectOf(ctx, by, c, running[c.Was.ID]); err != nil {
				return nil, err
			}
		}
		if c.Differs() || change.Behind > 0 && c.Migrate != catalog.Keep {
			out = append(out, change)
		}
	}
	return out, nil
}

// effectOf is catalog.EffectOf on the version that a change leads to, whether it is written already or not.
func (s *Service) effectOf(
	ctx context.Context, by usecase.Caller, c catalog.Change, running []catalog.Running,
) (catalog.Effect, error) {
	to := c.To
	if c.NewVersion() {
		to.Version = c.Was.Version + 1
	}
	versions, err := s.Store.Catalog.PlanVersions(ctx, by.EnvironmentID, c.Was.ID)
	return catalog.EffectOf(to, versions, running), err
}

// checkCatalog refuses a file that no catalogue can be.
func checkCatalog(want WantedCatalog) error {
	if len(want.Plans) > catalog.MaxPlans {
		return fault.New(fault.Invalid, "catalog_too_large",
			"The file has %d plans. A catalogue has at most %d.", len(want.Plans), catalog.MaxPlans)
	}
	for kind, n := range map[catalog.Kind]int{
		catalog.ProductKind: len(want.Products), catalog.TaxRateKind: len(want.TaxRates),
		catalog.MetricKind: len(want.Metrics), catalog.CouponKind: len(want.Coupons),
	} {
		if n > catalog.MaxItems {
			return fault.New(fault.Invalid, "catalog_too_large",
				"The file has %d %s. A catalogue has at most %d.", n, kind.Section(), catalog.MaxItems)
		}
	}
	for _, w := range want.Plans {
		if err := fault.Joined(w.Check(), CheckNames(w.Plan), w.Metadata.Check()); err != nil {
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
	if f := fault.From(err); f != nil && f.Refusal() {
		return f.Within(key)
	}
	return err
}

// Plans returns the plans that a catalogue file describes: those with a key, and those without that are active, in
// the order in which they were created.
func (s *Service) Plans(ctx context.Context, by usecase.Caller) ([]plan.Plan, error) {
	var plans []plan.Plan
	for page := (db.Page{Limit: 100}); ; {
		some, more, err := s.Store.Catalog.Plans(ctx, by.EnvironmentID, db.PlanFilter{}, page)
		if err != nil {
			return nil, err
		}
		for _, p := range some {
			if p.Active || p.Key != "" {
				plans = append(plans, p)
			}
		}
		if !more {
			break
		}
		page.StartingAfter = some[len(some)-1].ID
	}
	slices.Reverse(plans) // lists are newest first
	return plans, nil
}
