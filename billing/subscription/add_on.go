package subscription

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"perennial/billing/fault"
	"perennial/billing/plan"
)

// MaxAddOns bounds the add-ons of a subscription.
const MaxAddOns = 20

// AddOn is an add-on of a subscription, in one of its versions.
type AddOn struct {
	plan.Ref
	Quantity int64 `json:"quantity"` // units of its prices that are not flat
}

// AddOns are the add-ons of one subscription, in the order in which its invoices show them.
type AddOns []AddOn

// Chosen is a requested add-on. Quantity 0: one.
type Chosen struct {
	AddOn    plan.Plan
	Quantity int64
}

// The refusals of plans and add-ons.
var (
	// ErrPlanInactive refuses a plan or an add-on that is archived.
	ErrPlanInactive = fault.New(fault.Conflict, "plan_inactive",
		"The plan is archived. Choose an active plan.").In("planId")
	// ErrPlanIsAddOn refuses an add-on as the plan.
	ErrPlanIsAddOn = fault.InvalidParam("planId", "plan_is_add_on",
		"The id is of an add-on, which nobody subscribes to by itself. Send the id of a plan, and add-ons in `addOns`.")
	// ErrNotAddOn refuses a plan as an add-on.
	ErrNotAddOn = fault.InvalidParam("planId", "plan_not_add_on",
		"The id is of a plan, and only add-ons can be sold beside one. Create the plan with `kind: \"add_on\"`.")
	// ErrAddOnRepeated refuses the same add-on twice in a list.
	ErrAddOnRepeated = fault.InvalidParam("planId", "add_on_repeated",
		"The list has this add-on already. Send each add-on once, with its quantity.")
	// ErrAddOnsUnchanged refuses a change to the same add-ons.
	ErrAddOnsUnchanged = fault.New(fault.Conflict, "add_ons_unchanged",
		"The subscription already has these add-ons. Send other add-ons or quantities.").In("addOns")
	// ErrAddOnsStay refuses a change of interval that would keep add-ons whose interval does not go with it.
	ErrAddOnsStay = fault.New(fault.Conflict, "add_ons_other_interval",
		"The subscription has add-ons whose intervals do not go with the plan's: all must be whole multiples of the "+
			"shortest. Send `addOns` as well: add-ons that go with it, or an empty list, which removes them.").In("addOns")
)

// MarshalJSON writes nil as an empty list: null would mean that no list was sent.
func (a AddOns) MarshalJSON() ([]byte, error) { return json.Marshal(append([]AddOn{}, a...)) }

// Find returns the index of an add-on in the list; -1: the list does not have it.
func (a AddOns) Find(id string) int {
	return slices.IndexFunc(a, func(has AddOn) bool { return has.ID == id })
}

// WithVersion returns the list with another version of an add-on.
func (a AddOns) WithVersion(r plan.Ref) AddOns {
	out := slices.Clone(a)
	if i := out.Find(r.ID); i >= 0 {
		out[i].Version = r.Version
	}
	return out
}

// NextAddOns returns the add-ons of the next period.
func (s Subscription) NextAddOns() AddOns {
	if s.PendingAddOns != nil {
		return *s.PendingAddOns
	}
	return s.AddOns
}

// AddOnRefs returns the versions of present and pending add-ons, each once.
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

// PlansOf returns the plans of requested add-ons.
func PlansOf(chosen []Chosen) []plan.Plan {
	plans := make([]plan.Plan, len(chosen))
	for i, c := range chosen {
		plans[i] = c.AddOn
	}
	return plans
}

// Sell returns the list of add-ons for a plan. The fault names the index in `addOns` and the field there. Faults:
// add_ons_too_many, plan_not_add_on, currency_mismatch, add_on_interval_mismatch, add_on_repeated,
// usage_interval_mismatch, quantity_out_of_range.
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
		case sold.Find(one.ID) >= 0:
			err = ErrAddOnRepeated
		}
		if err != nil {
			return nil, inAddOn(err, i)
		}
		sold = append(sold, one)
	}
	plans := PlansOf(chosen)
	if at, err := CheckIntervals(beside, plans, Shortest(beside, plans)); err != nil {
		return nil, atFault(err, at)
	}
	return sold, nil
}

// atFault adds the index of the add-on that CheckIntervals refuses; -1: the plan, which is refused for its add-ons.
func atFault(err error, at int) error {
	if at < 0 || errors.Is(err, ErrLongUsage) {
		return err
	}
	return inAddOn(err, at)
}

// inAddOn adds the index of an add-on in a request to a fault.
func inAddOn(err error, i int) error { return fault.From(err).Within(fmt.Sprintf("addOns[%d]", i)) }

// Choose is Sell for a subscription that has add-ons. Each of those keeps its version, which version looks up, and may
// have been archived since. Faults: those of Sell, plan_inactive.
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

// Ordered returns as where both lists differ only in order, and a otherwise.
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

// PendingAddOns returns next as the add-ons from the period's end on; nil: they do not change.
func PendingAddOns(present, next AddOns) *AddOns {
	if slices.Equal(present, next) {
		return nil
	}
	return &next
}
