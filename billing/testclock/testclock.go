// Package testclock owns the rules of test clocks: refused advances, and the time of a clock. It does not own the work
// that a move makes due (lifecycle) nor how a clock is moved (activities).
package testclock

import (
	"time"

	"perennial/billing/fault"
)

// Status of a test clock.
type Status string

// The statuses.
const (
	Ready     Status = "ready"
	Advancing Status = "advancing"
)

// Clock is the time that some test customers live in.
type Clock struct {
	ID        string
	Name      string
	Status    Status
	NowAt     time.Time
	TargetAt  time.Time // while advancing
	BlockedBy []string  // transactions that stopped the last advance
	DeletedAt time.Time // real time; zero: it exists
	Revision  int64
	CreatedAt time.Time
}

// farthest is the longest advance in years: every period on the way is lived through.
const farthest = 10

// Advance begins to move the clock to an instant. To the target that it moves to already it changes nothing. Faults:
// test_clock_advancing, test_clock_backwards, out_of_range.
func (c Clock) Advance(to time.Time) (Clock, error) {
	switch {
	case c.Status == Advancing && c.TargetAt.Equal(to):
		return c, nil
	case c.Status == Advancing:
		return c, fault.New(fault.Conflict, "test_clock_advancing",
			"The clock is advancing to %s. Wait until it is ready.", stamp(c.TargetAt)).After(time.Second)
	case !to.After(c.NowAt):
		return c, fault.InvalidParam("to", "test_clock_backwards",
			"The clock is at %s and only moves forward. Send a later time.", stamp(c.NowAt))
	case to.After(c.NowAt.AddDate(farthest, 0, 0)):
		return c, fault.InvalidParam("to", "out_of_range",
			"One advance moves a clock by at most %d years, here to %s. "+
				"Advance in several steps.", farthest, stamp(c.NowAt.AddDate(farthest, 0, 0)))
	}
	c.Status, c.TargetAt, c.BlockedBy = Advancing, to, nil
	return c, nil
}

// Stop ends an advance at the present time of the clock: work that is due there is still done. A ready clock does not
// change.
func (c Clock) Stop() Clock {
	if c.Status == Advancing {
		c.TargetAt = c.NowAt
	}
	return c
}

// Delete ends the clock and any advance of it: nothing becomes due on it any more.
func (c Clock) Delete(now time.Time) Clock {
	c.Status, c.TargetAt, c.BlockedBy, c.DeletedAt = Ready, time.Time{}, nil, now
	return c
}

// Next returns the next time of an advancing clock: the next due instant, at most its target, and never back. due is
// zero where nothing is due.
func (c Clock) Next(due time.Time) time.Time {
	at := c.TargetAt
	if !due.IsZero() && due.Before(at) {
		at = due
	}
	if at.Before(c.NowAt) {
		at = c.NowAt
	}
	return at
}

// Step moves an advancing clock, and makes it ready where it has reached its target and nothing is due there. due is
// zero where nothing is due.
func (c Clock) Step(due time.Time) Clock {
	c.NowAt = c.Next(due)
	if c.NowAt.Equal(c.TargetAt) && (due.IsZero() || due.After(c.NowAt)) {
		return c.Finish(nil)
	}
	return c
}

// Finish makes the clock ready again. blockedBy names the payments that stopped it early.
func (c Clock) Finish(blockedBy []string) Clock {
	c.Status, c.TargetAt, c.BlockedBy = Ready, time.Time{}, blockedBy
	return c
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
