package lifecycle

import (
	"cmp"
	"time"

	"perennial/billing/plan"
	"perennial/billing/subscribing"
	"perennial/billing/subscription"
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
	// Behavior is the treatment of a migration now of its plan that costs something; empty: Activate.
	Behavior subscription.PaymentBehavior
	// Key names a migration of many from At on, or from the begin of the period where that is later. What it bills has ids
	// that are derived from both, so that its repetition after a restore charges the same amounts under the same keys;
	// empty: random ids.
	Key string
}

// Target returns the version to move to.
func (c Migrate) Target(s State) plan.Ref {
	return plan.Ref{ID: cmp.Or(c.PlanID, s.Subscription.PlanID), Version: c.Version}
}

// Name returns change_plan: the workflow handles a migration as a change of plan.
func (Migrate) Name() string { return "change_plan" }

// from returns the time from which the migration is prorated.
func (c Migrate) from(d *Decision) time.Time {
	if c.Key == "" {
		return c.At
	}
	if begun := d.Subscription.CurrentPeriod.Start; c.At.Before(begun) {
		return begun
	}
	if c.At.After(d.Now) { // of a test clock, which may be behind
		return d.Now
	}
	return c.At
}

func (c Migrate) judge(d *Decision) (func() error, error) {
	if c.NeverBack {
		if err := d.Subscription.NotAhead(c.To.Ref()); err != nil {
			return nil, err
		}
	}
	to := c.To.InIfOffered(d.Subscription.Currency)
	m := subscribing.Migration{To: to, AtPeriodEnd: c.AtPeriodEnd, At: c.from(d), Behavior: c.Behavior}
	if c.Behavior.Waits() {
		m.ID = d.IDs.ScheduledChange(d.Real)
	}
	migrate := d.situation().Migrate
	if to.AddOn {
		migrate = d.situation().Knowing(to).MigrateAddOn
	}
	made, err := migrate(m, d.Now)
	if err != nil {
		return nil, err
	}
	for i := range made.Issue {
		made.Issue[i].Change = c.Key
	}
	return func() error {
		d.brought = []plan.Plan{to}
		return d.carryOut(made)
	}, nil
}
