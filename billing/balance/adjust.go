package balance

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Adjusted is the balance after a person has given an amount, or taken one below zero: what is taken beyond what there
// is becomes a debit, which the next invoice collects. Faults: adjustment_zero, amount_too_large.
func Adjusted(balance, by money.Minor) (money.Minor, error) {
	if by == 0 {
		return 0, fault.InvalidParam("amount", "adjustment_zero",
			"`amount` is 0. Send an amount above zero to give credit, or below zero to take it.")
	}
	return money.Sum(balance, by)
}
