// Package account owns the rules about an environment's accounts at payment providers: what state one is in, and which
// changes are possible. It does not own which account a charge goes to (billing/routing), nor credentials.
package account

import (
	"time"

	"perennial/billing/fault"
)

// Account is an account, as the rules see it. Times are real time; zero: it is not so.
type Account struct {
	Primary    bool
	Priority   int // of a backup: the lowest is the first
	DisabledAt time.Time
	DeletedAt  time.Time
	// MaxRequestsPerSecond bounds the requests to the provider; zero: as its adapter says.
	MaxRequestsPerSecond int
	// ChargingPausedAt is since when new charges are held.
	ChargingPausedAt time.Time
	// FailingSince is since when the provider refuses the credentials.
	FailingSince time.Time
	// LastTestedAt is the time of the last connection test, and TestError its fault, for people.
	LastTestedAt time.Time
	TestError    string
}

// Status is the state of the connection to a provider.
type Status string

// The statuses.
const (
	Untested Status = "untested"
	Active   Status = "active"
	Failing  Status = "failing"
	Disabled Status = "disabled"
)

// refusedText is the problem of an account whose credentials a payment found refused, where no test has said more.
const refusedText = "The provider refuses the credentials. Store valid ones."

// Status returns the state of the connection and its problem, for people; empty: none is known.
func (a Account) Status() (Status, string) {
	switch {
	case !a.DisabledAt.IsZero():
		return Disabled, ""
	case a.TestError != "":
		return Failing, a.TestError
	case !a.FailingSince.IsZero():
		return Failing, refusedText
	case a.LastTestedAt.IsZero():
		return Untested, ""
	}
	return Active, ""
}

// The refusals.
var (
	errPrimary = fault.New(fault.Conflict, "provider_is_primary",
		"The configuration is the primary one, and there are others. Make another one primary first.")
	errLeavesNoPrimary = fault.InvalidParam("isPrimary", "primary_provider_required",
		"The configuration is the primary one, and there must be one. Set `isPrimary` of another configuration to true.")
	errDisabled = fault.New(fault.Conflict, "provider_disabled",
		"The configuration is disabled, and a disabled one cannot be the primary one. Enable it first.")
	errUnfinished = fault.New(fault.Conflict, "provider_has_unfinished_payments",
		"Payments of the configuration are pending, and need it. Disable it, and delete it when they are final.")
)

// SetPrimary makes the account the primary one, or keeps it a backup. Faults: provider_disabled,
// primary_provider_required.
func (a *Account) SetPrimary(primary bool) error {
	switch {
	case primary && !a.DisabledAt.IsZero():
		return errDisabled
	case !primary && a.Primary:
		return errLeavesNoPrimary
	}
	a.Primary = primary
	return nil
}

// Disable keeps new charges from the account. others is the number of other accounts that could be the primary one.
// Fault: provider_is_primary.
func (a *Account) Disable(others int, now time.Time) error {
	if !a.DisabledAt.IsZero() {
		return nil
	}
	if a.Primary && others > 0 {
		return errPrimary
	}
	a.DisabledAt, a.Primary = now, false
	return nil
}

// Enable allows new charges on the account again. It becomes the primary one where there is none.
func (a *Account) Enable(hasPrimary bool) {
	if a.DisabledAt.IsZero() {
		return
	}
	a.DisabledAt, a.Primary = time.Time{}, !hasPrimary
}

// PauseCharging holds new charges of the account, and reports whether that is news. Charges that were sent continue.
func (a *Account) PauseCharging(now time.Time) (news bool) {
	if !a.ChargingPausedAt.IsZero() {
		return false
	}
	a.ChargingPausedAt = now
	return true
}

// ResumeCharging allows new charges on the account again, and reports whether that is news.
func (a *Account) ResumeCharging() (news bool) {
	news = !a.ChargingPausedAt.IsZero()
	a.ChargingPausedAt = time.Time{}
	return news
}

// Delete hides the account. Rows that refer to it stay, and refunds of its payments still go through it. Faults:
// provider_has_unfinished_payments, provider_is_primary.
func (a *Account) Delete(unfinished bool, others int, now time.Time) error {
	if unfinished {
		return errUnfinished
	}
	if a.Primary && others > 0 {
		return errPrimary
	}
	a.DeletedAt, a.Primary = now, false
	return nil
}

// Tested records the result of a connection test; problem is for people, empty: none.
func (a *Account) Tested(problem string, now time.Time) { a.LastTestedAt, a.TestError = now, problem }
