package catalog

import (
	"cmp"
	"slices"

	"perennial/billing/money"
	"perennial/billing/plan"
)

// Running is a number of running subscriptions of a plan that are alike: on one version, in one currency, with one
// quantity from their next period on.
type Running struct {
	Version  int
	Currency money.Currency
	Quantity int64
	Pending  plan.Ref // the version that they change to at the period's end; zero: none
	Ends     bool     // they end with their period
	Count    int64
}

// Effect is the effect of a version of a plan on the plan's running subscriptions.
type Effect struct {
	Running int64 // all of them
	Behind  int64 // on another version, and would renew on it
	Leaving int64 // end, or change to another plan, at the end of their period, and are never moved
	// Unmovable counts those of Behind whose next period on the version would exceed the largest amount, or has metered
	// prices, which are not billed yet; Unoffered those in a currency that the version is not sold in. Moving them is
	// refused.
	Unmovable, Unoffered int64
	// Sums has the sums of those that could be moved, by currency, in the order of Plan.Currencies.
	Sums []Sum
}

// Sum is the cost of the next periods of subscriptions in a currency as they are, and on another version: prices only,
// before discounts, taxes and credit.
type Sum struct {
	Currency  money.Currency
	Now, Then money.Minor
}

// EffectOf returns the effect of a version on running subscriptions. versions are their present ones.
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
		then, err := to.In(r.Currency)
		if err != nil {
			e.Unoffered += r.Count
			continue
		}
		before, after, err := totals(on[renewsOn], then, r)
		if err != nil { // an estimate never stops a catalogue: the move itself is refused
			e.Unmovable += r.Count
			continue
		}
		e.add(Sum{r.Currency, before * money.Minor(r.Count), after * money.Minor(r.Count)})
	}
	order := to.Currencies()
	slices.SortFunc(e.Sums, func(a, b Sum) int {
		return cmp.Compare(slices.Index(order, a.Currency), slices.Index(order, b.Currency))
	})
	return e
}

// totals returns the cost of one subscription's next period as it is, and on a version in its currency.
func totals(on, to plan.Plan, r Running) (before, after money.Minor, err error) {
	if on, err = on.In(r.Currency); err != nil {
		return 0, 0, err
	}
	if before, err = on.Total(r.Quantity); err != nil {
		return 0, 0, err
	}
	after, err = to.Total(r.Quantity)
	return before, after, err
}

// add adds a sum to that of its currency.
func (e *Effect) add(s Sum) {
	i := slices.IndexFunc(e.Sums, func(has Sum) bool { return has.Currency == s.Currency })
	if i < 0 {
		e.Sums = append(e.Sums, s)
		return
	}
	e.Sums[i].Now += s.Now
	e.Sums[i].Then += s.Then
}
