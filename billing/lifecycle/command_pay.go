package lifecycle

import (
	"perennial/billing/collection"
	"perennial/billing/money"
)

// Pay starts an attempt on the oldest open invoice. Amount, where given, must be exactly what is due, in minor units.
// Changes.Attempt names the attempt. Faults: those of subscription.Payable and collection.Next.
type Pay struct {
	Amount *money.Minor
}

// Name implements Command.
func (Pay) Name() string { return "pay" }

func (p Pay) judge(d *decision) (func() error, error) {
	inv, err := d.Subscription.Payable(d.Facts(), p.Amount)
	if err != nil {
		return nil, err
	}
	i := d.indexOpen(inv.ID)
	state, effect, err := d.after(i, collection.Pay)
	return func() error {
		d.asked = true
		defer func() { d.asked = false }()
		return d.enter(i, state, effect)
	}, err
}
