package subscription

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"perennial/billing/fault"
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

// The refusals of plans and add-ons.
var (
	// ErrPlanInactive refuses a plan or an add-on that is archived.
	ErrPlanInactive = fault.New(fault.Conflict, "plan_inactive",
		"The plan is archived. Choose an active plan.").In("planId")
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

// Find returns the place of an add-on in the list; -1: it is not there.
func (a AddOns) Find(id string) int {
	return slices.IndexFunc(a, func(has AddOn) bool { return has.ID == id })
}

// WithVersion returns the list with an add-on in another version.
func (a AddOns) WithVersion(r plan.Ref) AddOns {
	out := slices.Clone(a)
	if i := out.Find(r.ID); i >= 0 {
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
		case sold.Find(one.ID) >= 0:
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

// Choose is Sell for a subscription that has add-ons: each of those keeps its version, which version looks up, and may
// be archived meanwhile. Faults: those of Sell, plan_inactive.
func (a AddOns) Choose(version func(plan.Ref) plan.Plan, chosen []Chosen, beside plan.Plan) (AddOns, error) {
	wanted := slices.Clone(chosen)
	for i, c := range wanted {
		if has := a.Find(c.AddOn.ID); has >= 0 {
			wanted[i].AddOn = version(a[has].Ref)
		} else if !c.AddOn.Active {
			return nil, inAddOn(ErrPlanInactive, i)
		}
	}
	return Sell(wanted, beside)
}

// Ordered returns the list as another one has it, where that differs in nothing but its order.
func (a AddOns) Ordered(as AddOns) AddOns {
	if len(a) == len(as) && len(a) == len(common(a, as)) {
		return as
	}
	return a
}

// common returns the add-ons of one list that the other has with the same version and quantity.
func common(a, b AddOns) AddOns {
	return slices.DeleteFunc(slices.Clone(a), func(one AddOn) bool { return !slices.Contains(b, one) })
}

// PendingAddOns returns the add-ons that wait for the end of the period; nil: those that are there stay.
func PendingAddOns(present, next AddOns) *AddOns {
	if slices.Equal(present, next) {
		return nil
	}
	return &next
}
