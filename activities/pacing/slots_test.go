package pacing_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/activities/pacing"
)

// Accounts of one provider hang together. However many there are, they leave slots to the accounts of others.
func TestSlots_AHangingProviderLeavesTheOthers(t *testing.T) {
	t.Parallel()
	s := pacing.NewSlots(2, 3)
	for _, account := range []string{"pp_1", "pp_1", "pp_2"} {
		require.True(t, s.Take(account, "stripe"), account)
	}
	require.False(t, s.Take("pp_1", "stripe"), "the account has two")
	require.False(t, s.Take("pp_2", "stripe"), "the provider has three")
	require.True(t, s.Take("pp_3", "pawapay"))
	s.Release("pp_1", "stripe")
	require.True(t, s.Take("pp_2", "stripe"))
}
