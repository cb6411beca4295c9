package moving

import (
	"slices"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/moving"
	"perennial/billing/plan"
	"perennial/billing/usage"
	"perennial/internal/id"
	servicecatalog "perennial/service/catalog"
)

// planOf returns the id of the plan that a record is a version of; empty: it is not here. Only a first version adopts a
// plan by its name: a later one belongs to its first, whose record may have been refused.
func (e *importEnvironment) planOf(r moving.Plan, perennialID string) string {
	if _, native := e.newest[perennialID]; native {
		return perennialID
	}
	if known, ok := e.sold.plans[r.ID]; ok {
		return known
	}
	if known, ok := e.keys[r.CatalogKey]; ok {
		return known
	}
	if r.CatalogKey != "" || r.Version > 1 {
		return ""
	}
	if ids := e.unclaimed(e.called[r.Name]); len(ids) == 1 {
		return ids[0]
	}
	return ""
}

// unclaimed returns the plans that no other record of the source is, in this import or an earlier one: two plans of
// one name stay two.
func (e *importEnvironment) unclaimed(ids []string) (free []string) {
	if len(ids) == 0 {
		return nil
	}
	claimed := map[string]bool{}
	for _, planID := range e.sold.plans {
		claimed[planID] = true
	}
	for _, planID := range ids {
		if !claimed[planID] {
			free = append(free, planID)
		}
	}
	return free
}

func (im *importing) newPlan(a *arrival) (outcome ImportOutcome, err error) {
	r, e := *a.record.Plan, im.env
	planID, version := e.planOf(r, a.record.PerennialID), max(r.Version, 1)
	productID, known := e.sold.products[r.Product]
	if r.Product != "" && !known && !e.sells(a.record) {
		return RecordRefused, moving.ErrProductUnknown
	}
	if a.plan, err = r.Plan(planID, productID, im.now); err != nil {
		return RecordRefused, err
	}
	a.plan.Metered = im.measuredHere(a.plan.Metered)
	if have, ok := e.plans[a.plan.Ref()]; ok {
		if !sameKind(have, a.plan) || len(a.plan.Terms().Changed(have.Terms())) > 0 {
			return RecordRefused, moving.ErrDiffers.In("id")
		}
		e.sold.plans[r.ID] = planID
		return RecordPresent, nil
	}
	if version != e.newest[planID]+1 {
		return RecordRefused, moving.ErrVersionGap
	}
	if planID == "" {
		a.plan.ID = id.New(id.Plan, im.now)
	}
	before := e.plans[plan.Ref{ID: planID, Version: version - 1}]
	if version > 1 && !sameKind(before, a.plan) {
		return RecordRefused, moving.ErrDiffers.In("id")
	}
	for i := range a.plan.Prices {
		a.plan.Prices[i].ID = id.New(id.Price, im.now)
	}
	if a.plan.Metered, err = im.metered(a.plan.Metered, before.Metered); err != nil {
		return RecordRefused, err
	}
	if version > 1 { // what is not of a version stays that of the first
		if a.plan, err = before.Next(a.plan.Terms(), im.now); err != nil {
			return RecordRefused, err
		}
	}
	return RecordImported, fault.Joined(servicecatalog.CheckNames(a.plan), e.chargeable(a.plan),
		e.measured(a.plan.Features))
}

// sameKind reports whether plans agree in what no version of a plan changes.
func sameKind(a, b plan.Plan) bool {
	return a.Currency == b.Currency && a.Interval == b.Interval && a.AddOn == b.AddOn
}

// measuredHere returns metered prices with the versions of metrics here; of one that is not here without a version.
func (im *importing) measuredHere(p *metered.Prices) *metered.Prices {
	if p == nil {
		return nil
	}
	out := *p
	out.Components = slices.Clone(p.Components)
	for i, c := range out.Components {
		versions := im.env.sold.metrics[c.MetricName]
		_, version := usage.SplitVersionID(c.MetricVersionID)
		out.Components[i].MetricVersionID = ""
		if c.MetricVersionID != "" && version >= 1 && version <= len(versions) {
			out.Components[i].MetricVersionID = versions[version-1].VersionID()
		}
	}
	return &out
}

// metered returns metered prices with new ids. Components without a version of a metric have the newest. Faults: those
// of metered.Prices.Resolve.
func (im *importing) metered(p, before *metered.Prices) (*metered.Prices, error) {
	if p == nil {
		return nil, nil
	}
	newest := map[string]usage.Metric{}
	for i, c := range p.Components {
		versions := im.env.sold.metrics[c.MetricName]
		if len(versions) == 0 {
			continue // Resolve refuses it
		}
		newest[c.MetricName] = versions[len(versions)-1]
		if c.MetricVersionID == newest[c.MetricName].VersionID() {
			p.Components[i].MetricVersionID = "" // Resolve checks it
		}
	}
	out, err := p.Resolve(newest)
	if err != nil {
		return nil, err
	}
	out = out.Identified(before, func() string { return id.New(id.Price, im.now) })
	return &out, nil
}
