package catalog

import (
	"perennial/billing/money"
	"perennial/billing/plan"
)

// Running is a number of running subscriptions of a plan that are alike: on one version, with one quantity from their
// next period on.
type Running struct {
	Version  int
	Quantity int64
	Pending  plan.Ref // what they change to at the period's end; zero: nothing
	Ends     bool     // they end with their period
	Count    int64
}

// Effect is what a version of a plan means for the plan's running subscriptions.
type Effect struct {
	Running int64 // all of them
	Behind  int64 // those that are on another version, and would renew on it
	Leaving int64 // those that end, or change to another plan, at the end of their period, and are never moved
	// Unmovable counts those of Behind whose next period on the version would come to more than an amount can be. To move
	// them is refused.
	Unmovable int64
	// Now and Then are what the next periods of those that could be moved come to as they are, and on the version: prices
	// only, before discounts, taxes and credit.
	Now, Then money.Minor
}

// EffectOf returns what a version means for running subscriptions. versions are those that they are on.
func EffectOf(to plan.Plan, versions []plan.Plan, running []Running) (e Effect) {
	on := make(map[int]plan.Plan, len(versions))
	for _, v := range versions {
		on[v.Version] = v
	}
	for _, r := range running {
		e.Running += r.Count
		renewsOn := r.Version
		switch {
		case r.Ends || r.Pending.ID != "" && r.Pending.ID != to.ID:
			e.Leaving += r.Count
			continue
		case r.Pending.ID == to.ID:
			renewsOn = r.Pending.Version
		}
		if renewsOn == to.Version {
			continue
		}
		e.Behind += r.Count
		now, err := on[renewsOn].Total(r.Quantity)
		then, errThen := to.Total(r.Quantity)
		if err != nil || errThen != nil { // an estimate never stops a catalogue: the move itself is refused
			e.Unmovable += r.Count
			continue
		}
		e.Now += now * money.Minor(r.Count)
		e.Then += then * money.Minor(r.Count)
	}
	return e
}
