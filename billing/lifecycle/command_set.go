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

// Name implements Command. To the workflow it is a change like that of a plan: its row has another revision.
func (SetMetadata) Name() string { return "change_plan" }

func (c SetMetadata) judge(d *Decision) (func() error, error) {
	made, err := d.situation().SetMetadata(c.Metadata, d.Now)
	return func() error { return d.carryOut(made) }, err
}

// SetTerms changes how the invoices that the subscription issues from now on are collected; nil: as it is. Faults:
// those of subscribing.SetTerms.
type SetTerms struct {
	Method  *terms.Method
	NetDays *int
}

// Name implements Command. To the workflow it is a change like that of a plan: its row has another revision.
func (SetTerms) Name() string { return "change_plan" }

func (c SetTerms) judge(d *Decision) (func() error, error) {
	made, err := d.situation().SetTerms(c.Method, c.NetDays, d.Now)
	return func() error { return d.carryOut(made) }, err
}

// SetUsageThresholds gives the subscription thresholds of its own, or with nil those of its plan. What a period has
// reached stays so. Faults: those of subscribing.SetUsageThresholds.
type SetUsageThresholds struct {
	To *subscription.UsageThresholds
}

// Name implements Command. To the workflow it is a change like that of a plan: its row has another revision.
func (SetUsageThresholds) Name() string { return "change_plan" }

func (c SetUsageThresholds) judge(d *Decision) (func() error, error) {
	made, err := d.situation().SetUsageThresholds(c.To, d.Now)
	return func() error { return d.carryOut(made) }, err
}
