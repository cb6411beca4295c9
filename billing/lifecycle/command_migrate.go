package lifecycle

import (
	"cmp"
	"time"

	"perennial/billing/plan"
)

// Migrate moves the subscription to another version of its plan or of one of its add-ons, now or at the period's end.
// The caller reads To once it has the State. Faults: those of subscribing.Migrate.
type Migrate struct {
	PlanID      string // the plan or add-on that the subscription must have; empty: its present plan
	Version     int
	AtPeriodEnd bool
	To          *plan.Plan // the version
	// NeverBack refuses a subscription that is on, or waits for, a newer version, whose creation has moved it.
	NeverBack bool
	At        time.Time // a migration now is prorated from here on, at most now; zero: now
}

// Target returns the version to move to.
func (c Migrate) Target(s State) plan.Ref {
	return plan.Ref{ID: cmp.Or(c.PlanID, s.Subscription.PlanID), Version: c.Version}
}

// Name returns change_plan: the workflow handles a migration as a change of plan.
func (Migrate) Name() string { return "change_plan" }

func (c Migrate) judge(d *Decision) (func() error, error) {
	if c.NeverBack {
		if err := d.Subscription.NotAhead(c.To.Ref()); err != nil {
			return nil, err
		}
	}
	to := c.To.InIfOffered(d.Subscription.Currency)
	migrate := d.situation().Migrate
	if to.AddOn {
		migrate = d.situation().Knowing(to).MigrateAddOn
	}
	made, err := migrate(to, c.AtPeriodEnd, c.At, d.Now)
	if err != nil {
		return nil, err
	}
	return func() error {
		d.brought = []plan.Plan{to}
		return d.carryOut(made)
	}, nil
}
