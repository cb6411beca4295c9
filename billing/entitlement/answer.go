// Package entitlement owns whether a customer may use a feature of the product, and how much of it. It does not own
// whether a subscription lets its customer in at all (access), nor what features plans have (plan).
package entitlement

import (
	"perennial/billing/access"
	"perennial/billing/plan"
)

// Source is a plan or an add-on that a customer has a feature by.
type Source struct {
	SubscriptionID string
	PlanID         string
	Limit          *int64 // nil: none
}

// Answer says whether a customer may use a feature.
type Answer struct {
	Feature string
	access.Answer
	Limit *int64 // the sum of the limits of all sources, at most plan.MaxFeatureLimit; nil: there is none
	// Sources are what gives it, in the order of the subscriptions.
	Sources []Source
}

// PlanIDs are the plans and add-ons whose features count for a customer with these subscriptions.
func PlanIDs(claims []access.Claim) (ids []string) {
	for _, claim := range claims {
		ids = append(ids, claim.PlanID)
		for _, addOn := range claim.AddOns {
			ids = append(ids, addOn.ID)
		}
	}
	return ids
}

// Of says whether a customer with these subscriptions may use a feature. Each that lets the customer in (access) gives
// what its plan and its add-ons have of it; limits add up, and where one has no limit, there is none. Where none lets
// the customer in, the answer is that of access; where none of those that do has the feature, its reason is
// access.NotIncluded. answers are those of access to the claims, and features those of plans and add-ons, by their ids.
func Of(key string, claims []access.Claim, answers []access.Answer, features map[string]plan.Features) Answer {
	out := Answer{Feature: key, Answer: access.Best(answers)}
	if !out.Allowed {
		return out
	}
	var giving []access.Answer
	for i, claim := range claims {
		if !answers[i].Allowed {
			continue
		}
		sources := of(key, claim, features)
		if len(sources) > 0 {
			giving = append(giving, answers[i])
		}
		out.Sources = append(out.Sources, sources...)
	}
	if len(giving) == 0 {
		out.Answer = access.Answer{Reason: access.NotIncluded, Until: out.Until}
		return out
	}
	out.Answer, out.Limit = access.Best(giving), total(out.Sources)
	for _, one := range giving { // the first that ends takes its limit along
		if !one.Until.IsZero() && (out.Until.IsZero() || one.Until.Before(out.Until)) {
			out.Until = one.Until
		}
	}
	return out
}

// of is what one subscription gives of a feature.
func of(key string, claim access.Claim, features map[string]plan.Features) (sources []Source) {
	give := func(planID string, quantity int64) {
		for _, f := range features[planID] {
			if f.Key == key {
				sources = append(sources, Source{SubscriptionID: claim.ID, PlanID: planID, Limit: times(f, quantity)})
			}
		}
	}
	give(claim.PlanID, claim.Quantity)
	for _, addOn := range claim.AddOns {
		give(addOn.ID, addOn.Quantity)
	}
	return sources
}

// times is the limit that a quantity of units gives. Both are bounded, and so is what they come to.
func times(f plan.Feature, quantity int64) *int64 {
	if f.Limit == nil || !f.PerUnit {
		return f.Limit
	}
	limit := int64(plan.MaxFeatureLimit)
	if *f.Limit == 0 || quantity <= limit / *f.Limit {
		limit = *f.Limit * quantity
	}
	return &limit
}

func total(sources []Source) *int64 {
	var sum int64
	for _, s := range sources {
		if s.Limit == nil {
			return nil
		}
		sum = min(sum+*s.Limit, plan.MaxFeatureLimit)
	}
	return &sum
}
