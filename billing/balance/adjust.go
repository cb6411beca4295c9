package balance

import (
	"perennial/billing/fault"
	"perennial/billing/money"
)

// Adjusted returns the balance after a person has given or taken an amount. An amount taken beyond the balance becomes
// a debit, which the next invoice collects. Faults: adjustment_zero, amount_too_large.
func Adjusted(balance, by money.Minor) (money.Minor, error) {
	if by == 0 {
		return 0, fault.InvalidParam("amount", "adjustment_zero",
			"`amount` is 0. Send an amount above zero to give credit, or below zero to take it.")
	}
	return money.Sum(balance, by)
}
