// Package balance owns the order in which grants of credit are used: what a customer has in hand, piece by piece. It does
// not own the ledger that books it.
package balance

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/money"
)

// Grant is credit that a customer was given.
type Grant struct {
	ID string
	// Priority: lower numbers are used first.
	Priority int
	GivenAt  time.Time
	// ExpiresAt is when it can no longer be used; the zero time is never.
	ExpiresAt time.Time
	Left      money.Minor
}

// Use is what is taken of one grant.
type Use struct {
	ID     string
	Amount money.Minor
}

// Take uses grants for an amount: by priority, then the one that expires sooner, then the older. Expired ones stay as
// they are. The uses sum to the amount, or to what there is; an amount below 1 takes nothing.
func Take(grants []Grant, amount money.Minor, now time.Time) []Use {
	var uses []Use
	for _, g := range inOrder(grants) {
		take := min(amount, g.Left)
		if take <= 0 || g.expired(now) {
			continue
		}
		uses = append(uses, Use{ID: g.ID, Amount: take})
		amount -= take
	}
	return uses
}

func (g Grant) expired(now time.Time) bool { return !g.ExpiresAt.IsZero() && !now.Before(g.ExpiresAt) }

func inOrder(grants []Grant) []Grant {
	sorted := slices.Clone(grants)
	slices.SortStableFunc(sorted, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), byExpiry(a, b), a.GivenAt.Compare(b.GivenAt),
			cmp.Compare(a.ID, b.ID))
	})
	return sorted
}

// byExpiry puts a grant that never expires behind those that do.
func byExpiry(a, b Grant) int {
	switch {
	case a.ExpiresAt.IsZero() && b.ExpiresAt.IsZero():
		return 0
	case a.ExpiresAt.IsZero():
		return 1
	case b.ExpiresAt.IsZero():
		return -1
	}
	return a.ExpiresAt.Compare(b.ExpiresAt)
}
