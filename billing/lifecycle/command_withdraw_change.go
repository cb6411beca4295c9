package lifecycle

// WithdrawChange takes a scheduled change back. Faults: those of subscribing.WithdrawChange.
type WithdrawChange struct{ ID string }

// Name implements Command. To the workflow it is a change of plan: another date to wait for.
func (WithdrawChange) Name() string { return "change_plan" }

func (c WithdrawChange) judge(d *decision) (func() error, error) {
	made, err := d.situation().WithdrawChange(c.ID, d.Now)
	return func() error { return d.carryOut(made) }, err
}
