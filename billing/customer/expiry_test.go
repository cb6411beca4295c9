package customer_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
)

// A card is good until the end of its month, and announced thirty days before that.
func TestCard_NoticeAt(t *testing.T) {
	t.Parallel()
	require.Zero(t, customer.Card{Brand: "visa"}.NoticeAt())
	for expiry, want := range map[[2]int]time.Time{
		{2028, 8}:  time.Date(2028, 8, 2, 0, 0, 0, 0, time.UTC),
		{2027, 12}: time.Date(2027, 12, 2, 0, 0, 0, 0, time.UTC),
		{2028, 2}:  time.Date(2028, 1, 31, 0, 0, 0, 0, time.UTC),
	} {
		require.Equal(t, want, customer.Card{ExpiryYear: expiry[0], ExpiryMonth: expiry[1]}.NoticeAt())
	}
}
