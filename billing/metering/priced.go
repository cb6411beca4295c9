package metering

import (
	"iter"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/metered"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

// Priced is a segment with the versions of its plan and add-ons, whose prices counted in it.
type Priced struct {
	Segment
	On     plan.Plan
	AddOns []plan.Plan // of Segment.AddOns, in any order
}

// Refs returns the versions whose prices counted: that of the plan first.
func (s Segment) Refs() []plan.Ref {
	refs := []plan.Ref{s.Plan}
	for _, a := range s.AddOns {
		refs = append(refs, a.Ref)
	}
	return refs
}

// Priced returns the segment with its versions, which known finds. Fault: plan_missing.
func (s Segment) Priced(known func(plan.Ref) (plan.Plan, bool)) (Priced, error) {
	out := Priced{Segment: s}
	for i, r := range s.Refs() {
		p, found := known(r)
		if !found {
			return out, fault.New(fault.Internal, "plan_missing",
				"Version %d of the plan %s, whose prices counted, was not loaded.", r.Version, r.ID)
		}
		if i == 0 {
			out.On = p
		} else {
			out.AddOns = append(out.AddOns, p)
		}
	}
	return out, nil
}

// Price returns segments with their versions of plans and add-ons, with prices in a currency. Faults: plan_missing,
// those of plan.Plan.In.
func Price(all []Segment, versions []plan.Plan, c money.Currency) ([]Priced, error) {
	known := make(map[plan.Ref]plan.Plan, len(versions))
	for _, p := range versions {
		in, err := p.In(c)
		if err != nil {
			return nil, err
		}
		known[p.Ref()] = in
	}
	priced := make([]Priced, len(all))
	for i, s := range all {
		var err error
		priced[i], err = s.Priced(func(r plan.Ref) (plan.Plan, bool) { p, has := known[r]; return p, has })
		if err != nil {
			return nil, err
		}
	}
	return priced, nil
}

// Versions returns the versions whose prices counted in segments, each once.
func Versions(all []Segment) (refs []plan.Ref) {
	for _, s := range all {
		for _, r := range s.Refs() {
			if !slices.Contains(refs, r) {
				refs = append(refs, r)
			}
		}
	}
	return refs
}

// Span returns the segment of a subscription for the count.
func (p Priced) Span(of subscription.Subscription) metered.Span {
	return metered.Span{
		Start: p.Start, End: p.End, Late: Late(of, p.Segment), Share: p.Share, PeriodLength: p.PeriodLength,
		Prices: p.Prices(),
	}
}

// Spans returns the segments of a subscription for the count.
func Spans(priced []Priced, of subscription.Subscription) []metered.Span {
	spans := make([]metered.Span, len(priced))
	for i, s := range priced {
		spans[i] = s.Span(of)
	}
	return spans
}

// Prices returns all prices that counted in the segment; nil: none.
func (p Priced) Prices() *metered.Prices {
	return pricesOf(p.On, p.Quantity, p.Segment.AddOns, p.AddOns)
}

// Holder returns the plan or the add-on with a price that counted; the plan, if neither has it.
func (p Priced) Holder(priceID string) plan.Plan {
	if i := slices.IndexFunc(p.AddOns, func(a plan.Plan) bool { return a.Counts(priceID) }); i >= 0 {
		return p.AddOns[i]
	}
	return p.On
}

// pricesOf returns the prices after each period of a plan and its add-ons; nil: none.
func pricesOf(on plan.Plan, quantity int64, sold subscription.AddOns, known []plan.Plan) *metered.Prices {
	all := on.AfterPeriod(quantity)
	var least *metered.Minimum
	if all != nil && all.Minimum != nil { // an add-on has none
		own := *all.Minimum
		own.Advance, least = on.Advance(quantity), &own
	}
	for a, version := range versionsOf(sold, known) {
		all = all.With(version.AfterPeriod(a.Quantity))
		if least != nil {
			least.Advance += version.Advance(a.Quantity)
		}
	}
	if least != nil {
		all.Minimum = least // all is a copy: see AfterPeriod
	}
	return all
}

// versionsOf iterates over the add-ons of a subscription with their versions, as far as those are known.
func versionsOf(sold subscription.AddOns, known []plan.Plan) iter.Seq2[subscription.AddOn, plan.Plan] {
	return func(yield func(subscription.AddOn, plan.Plan) bool) {
		for _, a := range sold {
			i := slices.IndexFunc(known, func(p plan.Plan) bool { return p.Ref() == a.Ref })
			if i >= 0 && !yield(a, known[i]) {
				return
			}
		}
	}
}
