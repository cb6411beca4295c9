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

// A plan and a quantity that were requested one after the other take effect at the same boundary. Together they may
// exceed the largest amount. The second request is refused, since a renewal without a price would stop the subscription
// and all its commands.
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
