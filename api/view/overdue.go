package view

import (
	"perennial/billing/moving"
	"perennial/billing/overdue"
)

// OverduePolicy is the form of an overdue policy, which records of moving share.
type OverduePolicy = moving.OverduePolicy

// OverdueState is one of its states.
type OverdueState = moving.OverdueState

// OverdueAmount is a sum in a currency.
type OverdueAmount = moving.OverdueAmount

// RenderOverduePolicy shows a policy as a request would set it.
func RenderOverduePolicy(p overdue.Policy) OverduePolicy { return moving.OverdueOf(p) }

// RenderOverdueAmounts shows sums by currency.
func RenderOverdueAmounts(amounts []overdue.Amount) []OverdueAmount {
	return moving.OverdueAmounts(amounts)
}
