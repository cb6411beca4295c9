// Package balance owns the credit of a customer: the plain balance, and grants of credit, which are used first, in an
// order, and may expire. It does not own the ledger that books it, nor the invoices that use it.
package balance

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/money"
)

// Use is the amount that is used of one grant.
type Use struct {
	ID     string      `json:"id"`
	Amount money.Minor `json:"amount"`
}

// Uses are the amounts that one invoice uses of grants, in the order of use.
type Uses []Use

// Sum returns the sum of all uses.
func (u Uses) Sum() (sum money.Minor) {
	for _, use := range u {
		sum += use.Amount
	}
	return sum
}

// Of returns the amount used of one grant.
func (u Uses) Of(grantID string) (sum money.Minor) {
	for _, use := range u {
		if use.ID == grantID {
			sum += use.Amount
		}
	}
	return sum
}

// Back returns the part of each use that goes back to its grant when an amount goes back, the last use first. before
// has the earlier returns: no grant gets back more than was used of it.
func (u Uses) Back(amount money.Minor, before Uses) Uses {
	var back Uses
	for _, use := range slices.Backward(u) {
		if part := min(amount, use.Amount-before.Of(use.ID)); part > 0 {
			back = append(back, Use{ID: use.ID, Amount: part})
			amount -= part
		}
	}
	return back
}

// Take uses grants for an amount: by priority, then the one that expires sooner, then the older. It skips ended grants.
// The uses sum to the amount, or to all there is; an amount below 1 uses nothing.
func Take(grants []Grant, amount money.Minor, at time.Time) Uses {
	var uses Uses
	for _, g := range inOrder(grants) {
		take := min(amount, g.Left)
		if take <= 0 || g.Ended(at) {
			continue
		}
		uses = append(uses, Use{ID: g.ID, Amount: take})
		amount -= take
	}
	return uses
}

func inOrder(grants []Grant) []Grant {
	if len(grants) < 2 {
		return grants
	}
	sorted := slices.Clone(grants)
	slices.SortStableFunc(sorted, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), byExpiry(a, b), a.GivenAt.Compare(b.GivenAt),
			cmp.Compare(a.ID, b.ID))
	})
	return sorted
}

// byExpiry sorts a grant that never expires behind those that do.
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
