package lifecycle

import "perennial/billing/metadata"

// SetMetadata replaces all metadata of the subscription. Faults: those of subscription.SetMetadata.
type SetMetadata struct {
	Metadata metadata.Pairs
}

// Name implements Command. To the workflow it is a change like that of a plan: its row has another revision.
func (SetMetadata) Name() string { return "change_plan" }

func (c SetMetadata) judge(d *decision) (func() error, error) {
	made, err := d.Subscription.SetMetadata(c.Metadata, d.Now)
	return func() error { return d.carryOut(made) }, err
}
