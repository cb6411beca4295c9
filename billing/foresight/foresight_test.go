package foresight_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/foresight"
	"perennial/billing/lifecycle"
)

// The tests of lifecycle compare foreseen lives of subscriptions with lived ones. A customer without a subscription has
// nothing ahead.
func TestForesight_OfACustomerWithoutASubscription(t *testing.T) {
	t.Parallel()
	s := lifecycle.State{Customer: customer.Customer{ID: "cust_1"}, Currency: "EUR", Balance: 70}
	at := lifecycle.Moment{Now: time.Unix(1, 0), Real: time.Unix(1, 0)}
	expected, err := foresight.Outlook(s, 3, nil, at)
	require.NoError(t, err)
	require.Empty(t, expected)

	shown, err := foresight.Preview(s, nil, 3, nil, at)
	require.NoError(t, err)
	require.Equal(t, at.Now, shown.At)
	require.Empty(t, shown.Issued)
	require.Empty(t, shown.Upcoming)
	require.EqualValues(t, 70, shown.Quote.Balance)
}
