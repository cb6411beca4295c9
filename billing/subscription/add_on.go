package subscription

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// MaxAddOns bounds the add-ons of a subscription.
const MaxAddOns = 20

// AddOn is what a subscription has beside its plan, in one of its versions.
type AddOn struct {
	plan.Ref
	Quantity int64 `json:"quantity"` // units of its prices that are not flat
}

// AddOns are those of one subscription, in the order in which its invoices show them.
type AddOns []AddOn

// Chosen is an add-on that is asked for. Quantity 0: one.
type Chosen struct {
	AddOn    plan.Plan
	Quantity int64
}

// The refusals of add-ons.
var (
	// ErrPlanIsAddOn refuses an add-on in the place of a plan.
	ErrPlanIsAddOn = fault.InvalidParam("planId", "plan_is_add_on",
		"The id is of an add-on, which nobody subscribes to by itself. Send the id of a plan, and add-ons in `addOns`.")
	// ErrNotAddOn refuses a plan in the place of an add-on.
	ErrNotAddOn = fault.InvalidParam("planId", "plan_not_add_on",
		"The id is of a plan, and only add-ons can be sold beside one. Create the plan with `kind: \"add_on\"`.")
	// ErrAddOnInterval refuses an add-on that the plan's invoices cannot bill.
	ErrAddOnInterval = fault.InvalidParam("planId", "add_on_interval_mismatch",
		"The add-on has another interval than the plan. Choose an add-on with the interval of the plan.")
	// ErrAddOnRepeated refuses a list that has an add-on twice.
	ErrAddOnRepeated = fault.InvalidParam("planId", "add_on_repeated",
		"The list has this add-on already. Send each add-on once, with its quantity.")
	// ErrAddOnsUnchanged refuses a change to the add-ons that the subscription has.
	ErrAddOnsUnchanged = fault.New(fault.Conflict, "add_ons_unchanged",
		"The subscription already has these add-ons. Send other add-ons or quantities.").In("addOns")
	// ErrAddOnsStay refuses a change of interval that leaves add-ons of the other interval behind.
	ErrAddOnsStay = fault.New(fault.Conflict, "add_ons_other_interval",
		"The subscription has add-ons that are billed in another interval than the plan would be. Send `addOns` as well: "+
			"add-ons of the plan's interval, or an empty list, which removes them.").In("addOns")
)

// MarshalJSON writes none as an empty list: null would be no list at all.
func (a AddOns) MarshalJSON() ([]byte, error) { return json.Marshal(append([]AddOn{}, a...)) }

// find returns the place of an add-on in the list; -1: it is not there.
func (a AddOns) find(id string) int {
	return slices.IndexFunc(a, func(has AddOn) bool { return has.ID == id })
}

// on returns the list with an add-on in another version.
func (a AddOns) on(r plan.Ref) AddOns {
	out := slices.Clone(a)
	if i := out.find(r.ID); i >= 0 {
		out[i].Version = r.Version
	}
	return out
}

// NextAddOns are the add-ons of the next period.
func (s Subscription) NextAddOns() AddOns {
	if s.PendingAddOns != nil {
		return *s.PendingAddOns
	}
	return s.AddOns
}

// AddOnRefs names the versions of add-ons that the subscription has or changes to, each once.
func (s Subscription) AddOnRefs() []plan.Ref {
	var refs []plan.Ref
	for _, list := range []AddOns{s.AddOns, s.NextAddOns()} {
		for _, a := range list {
			if !slices.Contains(refs, a.Ref) {
				refs = append(refs, a.Ref)
			}
		}
	}
	return refs
}

// AllFree reports whether none of the add-ons costs anything.
func AllFree(chosen []Chosen) bool {
	return !slices.ContainsFunc(chosen, func(c Chosen) bool { return !c.AddOn.Free() })
}

// PlansOf returns the plans of add-ons that are asked for.
func PlansOf(chosen []Chosen) []plan.Plan {
	plans := make([]plan.Plan, len(chosen))
	for i, c := range chosen {
		plans[i] = c.AddOn
	}
	return plans
}

// Sell returns a list of add-ons beside a plan. The fault names the place in `addOns` and the field there. Faults:
// add_ons_too_many, plan_not_add_on, currency_mismatch, add_on_interval_mismatch, add_on_repeated,
// quantity_out_of_range.
func Sell(chosen []Chosen, beside plan.Plan) (AddOns, error) {
	if len(chosen) > MaxAddOns {
		return nil, fault.InvalidParam("addOns", "add_ons_too_many",
			"A subscription has at most %d add-ons. The request has %d.", MaxAddOns, len(chosen))
	}
	var sold AddOns
	for i, c := range chosen {
		one := AddOn{Ref: c.AddOn.Ref(), Quantity: cmp.Or(c.Quantity, 1)}
		err := CheckQuantity(one.Quantity)
		switch {
		case !c.AddOn.AddOn:
			err = ErrNotAddOn
		case c.AddOn.Currency != beside.Currency:
			err = CheckCurrency(c.AddOn, beside.Currency)
		case c.AddOn.Interval != beside.Interval:
			err = ErrAddOnInterval
		case sold.find(one.ID) >= 0:
			err = ErrAddOnRepeated
		}
		if err != nil {
			return nil, inAddOn(err, i)
		}
		sold = append(sold, one)
	}
	return sold, nil
}

// inAddOn has a fault name the place of an add-on in a request.
func inAddOn(err error, i int) error { return fault.From(err).Within(fmt.Sprintf("addOns[%d]", i)) }

// choose is Sell for a subscription that has add-ons: each of those keeps its version, which version looks up, and may be
// archived meanwhile. Faults: those of Sell, plan_inactive.
func (a AddOns) choose(version func(plan.Ref) plan.Plan, chosen []Chosen, beside plan.Plan) (AddOns, error) {
	wanted := slices.Clone(chosen)
	for i, c := range wanted {
		if has := a.find(c.AddOn.ID); has >= 0 {
			wanted[i].AddOn = version(a[has].Ref)
		} else if !c.AddOn.Active {
			return nil, inAddOn(ErrPlanInactive, i)
		}
	}
	return Sell(wanted, beside)
}

// ordered returns the list as another one has it, where that differs in nothing but its order.
func (a AddOns) ordered(as AddOns) AddOns {
	if len(a) == len(as) && len(a) == len(common(a, as)) {
		return as
	}
	return a
}

// common returns the add-ons of one list that the other has with the same version and quantity.
func common(a, b AddOns) AddOns {
	return slices.DeleteFunc(slices.Clone(a), func(one AddOn) bool { return !slices.Contains(b, one) })
}

// addOn returns one of the add-ons that are known. A version that is not, which no loader leaves out, has no prices.
func (f Facts) addOn(r plan.Ref) plan.Plan {
	for _, list := range [][]plan.Plan{f.AddOns, f.Scheduled} {
		for _, p := range list {
			if p.Ref() == r {
				return p
			}
		}
	}
	return plan.Plan{ID: r.ID, Version: r.Version}
}

// holder returns which of a plan and the add-ons has a price.
func (f Facts) holder(p plan.Plan, priceID string) plan.Plan {
	has := func(p plan.Plan) bool {
		return slices.ContainsFunc(p.Prices, func(price plan.Price) bool { return price.ID == priceID })
	}
	if has(p) {
		return p
	}
	for _, list := range [][]plan.Plan{f.AddOns, f.Scheduled} {
		if i := slices.IndexFunc(list, has); i >= 0 {
			return list[i]
		}
	}
	return p
}

// free reports whether no period of these items on a plan costs anything.
func (f Facts) free(items []Item, p plan.Plan) bool {
	return !slices.ContainsFunc(items, func(i Item) bool {
		return slices.ContainsFunc(f.holder(p, i.PriceID).Prices, func(price plan.Price) bool {
			return price.ID == i.PriceID && !price.Free()
		})
	})
}

// target is what a subscription is, or would be, billed for.
type target struct {
	plan     plan.Plan
	quantity int64
	addOns   AddOns
}

// of reports whether a subscription is billed for this already, on whichever version of its plan.
func (t target) of(s Subscription) bool {
	return t.plan.ID == s.PlanID && t.quantity == s.Quantity && slices.Equal(t.addOns, s.AddOns)
}

// first returns what the first period costs: a whole one, and the fees of the plan. Fault: amount_too_large.
func (f Facts) first(t target) (money.Minor, error) {
	total, err := t.plan.First(t.quantity)
	for _, a := range t.addOns {
		if err != nil {
			break
		}
		var cost money.Minor
		if cost, err = f.addOn(a.Ref).Total(a.Quantity); err == nil {
			total, err = money.Sum(total, cost)
		}
	}
	return total, err
}

// aligned refuses add-ons that cannot be billed with the plan. Fault: add_ons_other_interval.
func (f Facts) aligned(t target) error {
	if slices.ContainsFunc(t.addOns, func(a AddOn) bool { return f.addOn(a.Ref).Interval != t.plan.Interval }) {
		return ErrAddOnsStay
	}
	return nil
}

// CheckBillable refuses a subscription that was made elsewhere where its present or its next period could not be
// billed. Faults: amount_too_large, add_ons_other_interval.
func (s Period) CheckBillable() error {
	if _, err := s.Facts.first(s.present()); err != nil {
		return fault.From(err).In("quantity")
	}
	next := s.next()
	if _, err := s.Facts.first(next); err != nil {
		return fault.From(err).In("pendingQuantity")
	}
	return s.Facts.aligned(next)
}

// present is what the subscription is billed for now.
func (s Period) present() target {
	return target{plan: s.Facts.Plan, quantity: s.Quantity, addOns: s.AddOns}
}

// billable refuses what could not be billed: nothing may stop a renewal later. Fault: amount_too_large.
func (f Facts) billable(all ...target) error {
	for _, t := range all {
		if _, err := f.first(t); err != nil {
			return err
		}
	}
	return nil
}

// next is what the subscription is billed for from the next period on.
func (s Period) next() target {
	return target{plan: s.Facts.upcoming(), quantity: cmp.Or(s.PendingQuantity, s.Quantity), addOns: s.NextAddOns()}
}
