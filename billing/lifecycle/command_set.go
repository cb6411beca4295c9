package lifecycle

import (
	"perennial/billing/metadata"
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
