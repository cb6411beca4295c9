package money

// Limits say which amounts of one currency a payment provider takes, in minor units. The zero value knows no limit: a
// provider that was never asked refuses nothing in advance.
type Limits struct {
	Minimum     Minor // the smallest charge
	Granularity Minor // every amount is a multiple of it; 0 counts as 1
	// Unchargeable: the provider does not take the currency at all.
	Unchargeable bool
}

// Collectable is the largest part of an amount that the provider takes: a multiple of the granularity, and nothing
// below the minimum. What is left over is carried until there is enough of it.
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
