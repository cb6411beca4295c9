package lifecycle

import (
	"cmp"
	"time"

	"perennial/billing/subscribing"
)

// Pause ends the current period and bills nothing until the subscription resumes. Faults: those of subscribing.Pause.
type Pause subscribing.Pausing

// Name returns pause.
func (Pause) Name() string { return "pause" }

func (c Pause) judge(d *Decision) (func() error, error) {
	made, err := d.situation().Pause(subscribing.Pausing(c), d.Now)
	return func() error { return d.carryOut(made) }, err
}

// Resume ends a pause: a period begins now, and is billed. Faults: those of subscribing.Resume.
type Resume struct {
	At time.Time // the period begins then, at most now; zero: now
}

// Name returns resume.
func (Resume) Name() string { return "resume" }

func (c Resume) judge(d *Decision) (func() error, error) {
	made, err := d.situation().Resume(cmp.Or(c.At, d.Now), d.Now)
	return func() error { return d.carryOut(made) }, err
}

// resumeWithMethod resumes a subscription that waits for a payment method, from the time of the new method on. On a
// test clock that is now, since payment methods change in real time.
func (ofSubscription) resumeWithMethod(d *Decision) error {
	at := d.Now
	if changed := d.Subscription.MethodChangedAt; d.ClockNow.IsZero() && changed.Before(at) {
		at = changed
	}
	return d.decide(d.situation().Resume(at, d.Now))
}
