package balance

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/metadata"
	"perennial/billing/money"
)

// MaxPlans is the number of plans that a grant can be restricted to.
const MaxPlans = 20

// MaxUsable is the number of grants with a remaining amount that a customer can have in one currency: every decision
// about the customer's debts reads them all.
const MaxUsable = 100

// ErrTooMany refuses a grant beyond MaxUsable.
var ErrTooMany = fault.New(fault.Conflict, "credit_grants_too_many",
	"The customer has %d credit grants in this currency with something left. Void some, or give credit by entries of the balance.",
	MaxUsable)

// MaxPriority is the priority of grants that are used last, DefaultPriority that of a grant without one.
const (
	MaxPriority     = 100
	DefaultPriority = 50
)

// Grant is credit of a customer in addition to the plain balance: it is used first, it may expire, and it may be
// restricted to subscriptions of some plans. It never pays a debit, and is never paid out.
type Grant struct {
	ID          string
	CustomerID  string
	TestClockID string // the customer's; empty: real time
	Currency    money.Currency
	Amount      money.Minor // that was given
	Left        money.Minor
	// Priority: lower numbers are used first.
	Priority int
	PlanIDs  []string // only invoices of subscriptions to these use it; empty: any invoice
	Name     string
	Metadata metadata.Pairs
	GivenAt  time.Time // in the customer's own time, as all times here
	// ExpiresAt is the time from which it can no longer be used; zero: never.
	ExpiresAt time.Time
	ExpiredAt time.Time // when the rest was removed at its end; zero: it was not
	VoidedAt  time.Time
}

// Status is the state of a grant.
type Status string

// The statuses.
const (
	Active   Status = "active"
	Depleted Status = "depleted" // nothing is left; what comes back of a voided invoice makes it active again
	Expired  Status = "expired"
	Voided   Status = "voided"
)

// ErrVoided refuses to void a grant a second time.
var ErrVoided = fault.New(fault.Conflict, "credit_grant_voided", "The credit grant is void already.")

// ErrExpired refuses to void a grant that has expired.
var ErrExpired = fault.New(fault.Conflict, "credit_grant_expired",
	"The credit grant has expired, so that nothing uses it any more.")

// Check refuses a new grant that cannot be: amount_too_small, amount_too_large, priority_invalid,
// credit_grant_plans_too_many, expires_at_past.
func (g Grant) Check() error {
	switch {
	case g.Amount <= 0:
		return fault.InvalidParam("amount", "amount_too_small", "`amount` must be 1 or more, in minor units.")
	case g.Amount > money.MaxMinor:
		return fault.From(g.Amount.Check()).In("amount")
	case g.Priority < 0 || g.Priority > MaxPriority:
		return fault.InvalidParam("priority", "priority_invalid", "`priority` must be between 0 and %d.", MaxPriority)
	case len(g.PlanIDs) > MaxPlans:
		return fault.InvalidParam("planIds", "credit_grant_plans_too_many",
			"A credit grant can be restricted to at most %d plans. The request has %d.", MaxPlans, len(g.PlanIDs))
	case !g.ExpiresAt.IsZero() && !g.ExpiresAt.After(g.GivenAt):
		return fault.InvalidParam("expiresAt", "expires_at_past",
			"`expiresAt` must be later than now, in the customer's time. Omit it for a grant that never expires.")
	}
	return nil
}

// Ended reports whether the grant can no longer be used at a time: its rest is to be removed then.
func (g Grant) Ended(at time.Time) bool {
	end := g.endsAt()
	return !end.IsZero() && !at.Before(end)
}

// endsAt is the earlier of its expiry and when it was voided; the zero time is never.
func (g Grant) endsAt() time.Time {
	if g.VoidedAt.IsZero() || !g.ExpiresAt.IsZero() && g.ExpiresAt.Before(g.VoidedAt) {
		return g.ExpiresAt
	}
	return g.VoidedAt
}

// Status returns the state of the grant at a time.
func (g Grant) Status(now time.Time) Status {
	switch {
	case !g.VoidedAt.IsZero():
		return Voided
	case g.Ended(now) && (g.Left > 0 || !g.ExpiredAt.IsZero()):
		return Expired
	case g.Left == 0:
		return Depleted
	}
	return Active
}

// Void withdraws the grant and returns its rest. Faults: credit_grant_voided, credit_grant_expired.
func (g Grant) Void(now time.Time) (Grant, money.Minor, error) {
	switch {
	case !g.VoidedAt.IsZero():
		return g, 0, ErrVoided
	case g.Ended(now):
		return g, 0, ErrExpired
	}
	left := g.Left
	g.VoidedAt, g.Left = now, 0
	return g, left, nil
}

// End removes the rest of a grant that has ended and returns it; 0: the grant has not ended, or nothing is left. A
// grant has a rest where it was not used up, or where an invoice that used it was voided later.
func (g Grant) End(now time.Time) (Grant, money.Minor) {
	if !g.Ended(now) || g.Left == 0 {
		return g, 0
	}
	left := g.Left
	g.Left = 0
	if g.VoidedAt.IsZero() {
		g.ExpiredAt = cmp.Or(g.ExpiredAt, now)
	}
	return g, left
}

// Announced returns the grant as events show it.
func (g Grant) Announced() event.CreditGrant {
	return event.CreditGrant{ID: g.ID, CustomerID: g.CustomerID, Amount: int64(g.Amount), Currency: string(g.Currency)}
}

// For returns the grants that an invoice of a subscription to a plan may use. An invoice without a subscription has an
// empty plan.
func For(grants []Grant, planID string) []Grant {
	var usable []Grant
	for _, g := range grants {
		if len(g.PlanIDs) == 0 || planID != "" && slices.Contains(g.PlanIDs, planID) {
			usable = append(usable, g)
		}
	}
	return usable
}

// Left returns the sum of the rests of all grants.
func Left(grants []Grant) (sum money.Minor) {
	for _, g := range grants {
		sum += g.Left
	}
	return sum
}
