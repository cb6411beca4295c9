package subscribing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

// What waits for the period's end, a plan and a quantity that were asked for one after the other, meets there. Together
// they may come to more than an amount can be: the second is refused, since a renewal that cannot be priced would stop
// the subscription and everything that is asked of it.
func TestChangePlan_RefusesWhatTheRenewalCouldNotBill(t *testing.T) {
	t.Parallel()
	price, err := money.ParseDecimal("1000000")
	require.NoError(t, err)
	seats := pro
	seats.ID = "plan_seats"
	seats.Prices = []plan.Price{{ID: "price_seats", Price: rating.Price{Model: rating.PerUnit, UnitPrice: price}}}
	for name, changes := range map[string][2]Change{
		"plan, then quantity at the end": {
			{Plan: &seats, AtPeriodEnd: true}, {Quantity: subscription.MaxQuantity, AtPeriodEnd: true},
		},
		"plan, then quantity now": {{Plan: &seats, AtPeriodEnd: true}, {Quantity: subscription.MaxQuantity}},
		"quantity, then plan at the end": {
			{Quantity: subscription.MaxQuantity, AtPeriodEnd: true}, {Plan: &seats, AtPeriodEnd: true},
		},
		"quantity, then plan now": {{Quantity: subscription.MaxQuantity, AtPeriodEnd: true}, {Plan: &seats}},
	} {
		s, f, _ := inStatus(subscription.Active)
		f.ItemID = func(priceID string) string { return "si_" + priceID }
		first, err := With(s, f).ChangePlan(changes[0], s.CurrentPeriod.Start)
		require.NoError(t, err, name)
		if changes[0].Plan != nil {
			f.Pending = changes[0].Plan
		}

		_, err = With(first.Subscription, f).ChangePlan(changes[1], s.CurrentPeriod.Start)

		require.Error(t, err, name)
		require.Equal(t, "amount_too_large", fault.From(err).Code, name)
	}
}
