// Package entitlement owns whether a customer may use a feature of the product, and how much of it. It does not own
// whether a subscription lets its customer in at all (access), nor what features plans have (plan).
package entitlement

import (
	"slices"
	"time"

	"perennial/billing/access"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
)

// Source is the origin of a customer's feature: a plan or an add-on, or the customer's own setting in place of them.
type Source struct {
	SubscriptionID string // empty: of the customer, for all subscriptions
	PlanID         string // empty: in place of the features of plans
	Limit          *int64 // nil: none
	SoftLimit      bool   // the feature may be used beyond the limit
}

// Held has everything that may give a customer features.
type Held struct {
	Claims    []access.Claim
	Answers   []access.Answer          // of access to the claims
	Features  map[string]plan.Features // of plans and add-ons, by their ids
	Overrides plan.FeatureOverrides
	Now       time.Time
}

// Counter says where the use of a feature is counted: the quantity of a metric in a period of a subscription.
type Counter struct {
	SubscriptionID string
	MetricName     string
	Period         period.Period
}

// Answer says whether a customer may use a feature.
type Answer struct {
	Feature string
	access.Answer
	Limit *int64 // the sum of the limits of all sources, at most plan.MaxFeatureLimit; nil: there is none
	// Sources are the sources of the feature, in the order of the subscriptions.
	Sources []Source
	// Counters are the counters that Counted needs; none: the app counts.
	Counters []Counter
	Used     money.Decimal // absent: not counted
	ResetsAt time.Time     // when the first of the counters begins again; the zero time: none does
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

// Of says whether a customer may use a feature. Each subscription with access gives the feature of its plan and its
// add-ons, or the customer's own setting in their place. Limits add up; where one source has no limit, there is none. A
// customer's setting in place of all plans replaces the sum. Without access by any subscription, the answer is that of
// access; where none of those with access has the feature, its reason is access.NotIncluded.
func Of(key string, h Held) Answer {
	out := Answer{Feature: key, Answer: access.Best(h.Answers)}
	if !out.Allowed {
		return out
	}
	best := out.Answer
	var giving []access.Answer
	var changes []time.Time // of what gives it
	for i, claim := range h.Claims {
		if !h.Answers[i].Allowed {
			continue
		}
		sources, counters, until := h.of(key, claim)
		if len(sources) > 0 {
			giving = append(giving, h.Answers[i])
			out.Counters = append(out.Counters, counters...)
		}
		out.Sources, changes = append(out.Sources, sources...), append(changes, until)
	}
	if own, ok := h.Overrides.InForce(key, "", h.Now); ok {
		giving, changes = []access.Answer{best}, []time.Time{own.Until}
		out.Sources = []Source{{Limit: own.Limit, SoftLimit: own.SoftLimit}}
		if own.Excluded {
			giving = nil
		}
	}
	if len(giving) == 0 {
		return Answer{Feature: key, Answer: access.Answer{
			Reason: access.NotIncluded, Until: soonest(append(changes, best.Until)),
		}}
	}
	out.Answer, out.Limit = access.Best(giving), total(out.Sources)
	for _, one := range giving { // the first that ends takes its limit along
		changes = append(changes, one.Until)
	}
	out.Until = soonest(changes)
	return out
}

// Count is the result of a counter.
type Count struct {
	Quantity money.Decimal
	Carries  bool // a period continues from the quantity before it
}

// Counted returns the answer with the use that its counters, in their order, have counted. A reached limit refuses,
// unless one of the sources is soft.
func (a Answer) Counted(counts []Count) Answer {
	if len(counts) == 0 {
		return a
	}
	a.Used = money.Whole(0)
	var begins []time.Time
	for i, c := range counts {
		if a.Used = a.Used.Add(c.Quantity); !c.Carries {
			begins = append(begins, a.Counters[i].Period.End)
		}
	}
	a.ResetsAt = soonest(begins)
	if a.Reached() && !a.soft() {
		a.Allowed, a.Reason, a.Until = false, access.LimitReached, soonest([]time.Time{a.ResetsAt, a.Until})
	}
	return a
}

// Reached reports whether a counted limit is reached.
func (a Answer) Reached() bool {
	return a.Limit != nil && a.Used.IsGiven() && a.Used.Cmp(money.Whole(*a.Limit)) >= 0
}

// soft reports whether the feature may be used beyond its limit.
func (a Answer) soft() bool {
	return slices.ContainsFunc(a.Sources, func(s Source) bool { return s.SoftLimit })
}

// Metered returns the keys of the features that a metric counts, each once in the order of the alphabet.
func (h Held) Metered() (keys []string) {
	for _, all := range h.Features {
		for _, f := range all {
			if f.MetricName != "" && !slices.Contains(keys, f.Key) {
				keys = append(keys, f.Key)
			}
		}
	}
	slices.Sort(keys)
	return keys
}

// soonest returns the first of some times; zero ones do not count.
func soonest(all []time.Time) (first time.Time) {
	for _, at := range all {
		if !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// of returns the sources of a feature in one subscription, and the end of its access. The counters are those of its
// plan and its add-ons, also where the customer has another limit.
func (h Held) of(key string, claim access.Claim) (sources []Source, counters []Counter, until time.Time) {
	give := func(planID string, quantity int64) {
		for _, f := range h.Features[planID] {
			if f.Key != key {
				continue
			}
			sources = append(sources, Source{
				SubscriptionID: claim.ID, PlanID: planID, Limit: times(f, quantity), SoftLimit: f.SoftLimit,
			})
			count := Counter{SubscriptionID: claim.ID, MetricName: f.MetricName, Period: claim.CurrentPeriod}
			if f.MetricName != "" && !slices.Contains(counters, count) {
				counters = append(counters, count)
			}
		}
	}
	give(claim.PlanID, claim.Quantity)
	for _, addOn := range claim.AddOns {
		give(addOn.ID, addOn.Quantity)
	}
	own, ok := h.Overrides.InForce(key, claim.ID, h.Now)
	if !ok {
		return sources, counters, until
	}
	if sources = nil; !own.Excluded {
		sources = []Source{{SubscriptionID: claim.ID, Limit: own.Limit, SoftLimit: own.SoftLimit}}
	}
	return sources, counters, own.Until
}

// times returns the limit for a quantity of units. Both are bounded, and so is their product.
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
