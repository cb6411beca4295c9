package money

import "perennial/billing/fault"

// Limits say which amounts of one currency a payment provider takes, in minor units. The zero value knows no limit: a
// provider that was never asked refuses nothing in advance.
type Limits struct {
	Minimum     Minor // the smallest charge
	Granularity Minor // every amount is a multiple of it; 0 counts as 1
	// Unchargeable: the provider does not take the currency at all.
	Unchargeable bool
}

// Collectable returns the largest part of an amount that the provider takes: a multiple of the granularity, and nothing
// below the minimum. The rest is carried until there is enough of it.
func (l Limits) Collectable(amount Minor) Minor {
	part := l.Floor(amount)
	if part < l.Minimum {
		return 0
	}
	return part
}

// Floor rounds an amount down to a multiple of the granularity; below zero it is zero. Refunds have no minimum.
func (l Limits) Floor(amount Minor) Minor {
	amount = max(amount, 0)
	return amount - amount%max(l.Granularity, 1)
}

// CheckChargeable refuses an amount that no account can ever charge: below the provider's minimum, or finer than it
// expresses amounts. limits are those of the accounts; without any, nothing is refused. An invoice carries such an
// amount to the next one, which a charge without an invoice cannot. Amounts that no account takes for another reason
// are left to the charge, which fails with the reason. Fault: amount_not_chargeable.
func CheckChargeable(amount Minor, currency Currency, limits []Limits) error {
	for _, l := range limits {
		if l.Unchargeable || l.Collectable(amount) == amount {
			return nil
		}
	}
	if len(limits) == 0 {
		return nil
	}
	last := limits[len(limits)-1]
	return fault.InvalidParam("amount", "amount_not_chargeable",
		"The payment provider charges %s from %d minor units on, in multiples of %d. Send such an amount.",
		currency, max(last.Minimum, last.Granularity, 1), max(last.Granularity, 1))
}
