package catalog

import (
	"reflect"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/plan"
)

// Change is the work to be done for one plan.
type Change struct {
	Was    *plan.Plan // in its newest version; nil: it has to be created
	To     plan.Plan  // without ids where it is new
	Fields []string   // changed fields, by their names in the API; empty: none
	Absent bool       // it is archived because the file has it no longer
	// Migrate is the file's choice for running subscriptions.
	Migrate Migration
}

// NewVersion reports whether the change makes a new version of the plan.
func (c Change) NewVersion() bool {
	return c.Was != nil && (slices.ContainsFunc(c.Fields, versioned))
}

// versioned reports whether a field belongs to the part of a plan that a version fixes.
func versioned(field string) bool {
	return slices.Contains([]string{"prices", "meteredPrices", "commitment", "minimum", "trialDays", "trialEndBehavior"}, field)
}

// Unversioned are the fields that change in all versions.
func (c Change) Unversioned() []string {
	return slices.DeleteFunc(slices.Clone(c.Fields), versioned)
}

// Differs reports whether there is anything to do.
func (c Change) Differs() bool { return c.Was == nil || len(c.Fields) > 0 }

// Diff compares the plans of a file with the existing ones: all that have a key, and all whose ids the file names. It
// returns a change for each plan of the file, in its order, also where nothing differs, and for each plan that is
// archived because the file has it no longer. A plan whose Product is nil keeps its product. Faults, which name the
// plan's key as their param: catalog_plan_not_found, catalog_plan_fixed, catalog_plan_repeated, and those of
// plan.Plan.Next.
func Diff(held []plan.Plan, want []Plan) ([]Change, error) {
	changes := make([]Change, 0, len(want))
	described := map[string]bool{}
	for _, w := range want {
		was, err := find(held, w)
		if err != nil {
			return nil, err
		}
		c := Change{To: w.Plan, Migrate: w.Migrate}
		if was != nil {
			if described[was.ID] {
				return nil, fault.InvalidParam(w.Key+".id", "catalog_plan_repeated",
					"The plan %s is in the file already, under another key. Describe each plan once.", was.ID)
			}
			described[was.ID] = true
			if c, err = compare(*was, w); err != nil {
				return nil, err
			}
		}
		changes = append(changes, c)
	}
	for _, was := range held {
		if was.Key != "" && was.Active && !described[was.ID] {
			to := was
			to.Active = false
			changes = append(changes, Change{Was: &was, To: to, Fields: []string{"active"}, Absent: true})
		}
	}
	return changes, nil
}

// find returns the plan that the file means: the one with its id, or else the one with its key; nil: it is new.
func find(held []plan.Plan, w Plan) (*plan.Plan, error) {
	same := func(p plan.Plan) bool { return p.Key == w.Key }
	if w.ID != "" {
		same = func(p plan.Plan) bool { return p.ID == w.ID }
	}
	i := slices.IndexFunc(held, same)
	switch {
	case i >= 0:
		taken := slices.IndexFunc(held, func(p plan.Plan) bool { return p.Key == w.Key && p.ID != held[i].ID })
		if taken >= 0 {
			return nil, fault.InvalidParam(w.Key+".id", "catalog_plan_repeated",
				"The key is that of the plan %s. Leave `id` out, or choose another key.", held[taken].ID)
		}
		return &held[i], nil
	case w.ID != "":
		return nil, fault.InvalidParam(w.Key+".id", "catalog_plan_not_found",
			"There is no plan %s in this environment. Leave `id` out to create the plan.", w.ID)
	default:
		return nil, nil
	}
}

// compare names the differences between a plan and its description in the file. Currency, interval and kind cannot
// change.
func compare(was plan.Plan, w Plan) (Change, error) {
	if name := fixed(
		field{"currency", was.Currency != w.Currency}, field{"interval", was.Interval != w.Interval},
		field{"kind", was.AddOn != w.AddOn},
	); name != "" {
		return Change{}, fault.InvalidParam(w.Key+"."+name, "catalog_plan_fixed",
			"The `%s` of a plan never changes, because its subscriptions were sold it. Describe a new plan under another "+
				"key, and archive this one with `active: false`.", name)
	}
	c := Change{Was: &was, To: was, Migrate: w.Migrate}
	c.To.Key, c.To.Name, c.To.Active, c.To.Dunning, c.To.Metadata = w.Key, w.Name, w.Active, w.Dunning, w.Metadata
	c.To.ProrationMeasure, c.To.Prices, c.To.TrialDays = w.ProrationMeasure, w.Prices, w.TrialDays
	c.To.TrialEnd, c.To.Metered, c.To.Features = w.TrialEnd, w.Metered, w.Features
	if w.Product != nil {
		c.To.ProductID = w.ProductID
	}
	if was.Metered.Same(w.Metered) { // with the versions of metrics that count by now
		by := metered.Replaced(w.Metered)
		c.To.Metered = metered.Revision{Commitment: by.Commitment, Minimum: by.Minimum}.Of(was.Metered)
	}
	c.Fields = append(changed(
		field{"catalogKey", was.Key != w.Key}, field{"name", was.Name != w.Name}, field{"active", was.Active != w.Active},
		field{"productId", was.ProductID != c.To.ProductID}, field{"features", !was.Features.Same(w.Features)},
		field{"dunning", !reflect.DeepEqual(was.Dunning, w.Dunning)},
		field{"prorationMeasure", was.ProrationMeasure != w.ProrationMeasure},
		field{"metadata", !was.Metadata.Same(w.Metadata)},
	), w.Terms().Changed(was.Terms())...)
	if c.NewVersion() {
		// at any time: only whether it can be made
		if _, err := was.Next(w.Terms(), was.VersionAt); err != nil {
			return Change{}, fault.From(err).Within(w.Key)
		}
	}
	return c, nil
}
