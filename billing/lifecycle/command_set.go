package lifecycle

import (
	"perennial/billing/customer"
	"perennial/billing/metadata"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
	"perennial/billing/terms"
)

// SetMetadata replaces all metadata of the subscription. Faults: those of subscribing.SetMetadata.
type SetMetadata struct {
	Metadata metadata.Pairs
}

// Name returns change_plan: the workflow handles it as a change of plan, since the row has another revision.
func (SetMetadata) Name() string { return "change_plan" }

func (c SetMetadata) judge(d *Decision) (func() error, error) {
	made, err := d.situation().SetMetadata(c.Metadata, d.Now)
	return func() error { return d.carryOut(made) }, err
}

// SetTerms changes the collection of the subscription's future invoices; nil: no change. Faults: those of
// subscribing.SetTerms.
type SetTerms struct {
	Method  *terms.Method
	NetDays *int
}

// Name returns change_plan: the workflow handles it as a change of plan, since the row has another revision.
func (SetTerms) Name() string { return "change_plan" }

func (c SetTerms) judge(d *Decision) (func() error, error) {
	made, err := d.situation().SetTerms(c.Method, c.NetDays, d.Now)
	return func() error { return d.carryOut(made) }, err
}

// SetUsageThresholds sets the subscription's own thresholds; nil: the plan's apply. Crossings of the period stay.
// Faults: those of subscribing.SetUsageThresholds.
type SetUsageThresholds struct {
	To *subscription.UsageThresholds
}

// Name returns change_plan: the workflow handles it as a change of plan, since the row has another revision.
func (SetUsageThresholds) Name() string { return "change_plan" }

func (c SetUsageThresholds) judge(d *Decision) (func() error, error) {
	made, err := d.situation().SetUsageThresholds(c.To, d.Now)
	return func() error { return d.carryOut(made) }, err
}

// SetPaymentMethod names the payment method that charges from now on use; empty: the customer's default. An invoice in
// collection is tried with it, as with a new default. Faults: those of subscribing.SetPaymentMethod.
type SetPaymentMethod struct {
	MethodID string
	Method   customer.Method // the one named, or the default; its caller reads it under lock
}

// Name returns change_plan: the workflow handles it as a change of plan, since the row has another revision.
func (SetPaymentMethod) Name() string { return "change_plan" }

func (c SetPaymentMethod) judge(d *Decision) (func() error, error) {
	made, err := subscribing.SetPaymentMethod(d.situation(), c.MethodID, d.Now)
	return func() error {
		if len(made.Events) > 0 {
			d.Customer = d.Customer.WithMethod(c.Method)
			if d.Customer.CanPay() {
				made.Subscription.MethodChangedAt = d.Real
			}
		}
		return d.carryOut(made)
	}, err
}
