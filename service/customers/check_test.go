package customers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
)

func TestIsCardNumber_LuhnAndLength(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]bool{
		"4242424242424242": true, "4242-4242-4242-4242": true, "378282246310005": true, "6200000000000005": true,
		"4242424242424241": false, "pm_4242424242424242": false, "": false, strings.Repeat("0", 12): false,
		strings.Repeat("0", 20): false,
	} {
		require.Equal(t, want, isCardNumber(number), number)
	}
}

func TestCheckCustomer_PaymentMethodsAreWhole(t *testing.T) {
	t.Parallel()
	card := customer.Customer{
		Email: "a@example.com", PaymentMethod: "card", PaymentDetails: customer.PaymentDetails{PaymentMethodToken: "pm_1"},
	}
	require.NoError(t, CheckCustomer(card))
	none := customer.Customer{Email: "a@example.com"}
	require.NoError(t, CheckCustomer(none))
}
