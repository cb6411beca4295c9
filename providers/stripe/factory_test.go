package stripe_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers"
	"perennial/providers/stripe"
)

// A method that another provider saved is not charged here: a backup would only decline it.
func TestFactory_SupportsItsOwnCards(t *testing.T) {
	t.Parallel()
	for token, accepted := range map[string]bool{
		"": true, "pm_card_visa": true, "card_1": true, "src_1": true, "pmd_9": false, "M5N7TQ4TG5PFWR50": false,
	} {
		support := stripe.Factory{}.Supports(providers.Method{Type: "card", PaymentMethodToken: token})
		require.Equal(t, accepted, support.Accepted, token)
		require.Equal(t, accepted, support.Reason == "", token)
	}
	require.False(t, stripe.Factory{}.Supports(providers.Method{Type: "mobile_money_mtn"}).Accepted)
}
