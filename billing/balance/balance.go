// Package balance owns what a customer has in hand: the plain balance, and beside it grants of credit, which are used
// first, in an order, and may expire. It does not own the ledger that books it, nor the invoices that use it.
package balance

import (
	"cmp"
	"slices"
	"time"

	"perennial/billing/money"
)

// Use is what is taken of one grant.
type Use struct {
	ID     string      `json:"id"`
	Amount money.Minor `json:"amount"`
}

// Uses are what one invoice takes of grants, in the order in which it took them.
type Uses []Use

// Sum is what all of them come to.
func (u Uses) Sum() (sum money.Minor) {
	for _, use := range u {
		sum += use.Amount
	}
	return sum
}

// Of is what is used of one grant.
func (u Uses) Of(grantID string) (sum money.Minor) {
	for _, use := range u {
		if use.ID == grantID {
			sum += use.Amount
		}
	}
	return sum
}

// Back is what of the uses goes back to grants when an amount goes back, the last one first. before is what went back
// of them already: to no grant more goes back than was taken of it.
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

// Take uses grants for an amount: by priority, then the one that expires sooner, then the older. Ended ones stay as
// they are. The uses sum to the amount, or to what there is; an amount below 1 takes nothing.
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
