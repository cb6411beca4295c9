package customer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
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

func TestCheck_PaymentMethodsAreWhole(t *testing.T) {
	t.Parallel()
	card := Customer{
		Email: "a@example.com", PaymentMethod: "card", PaymentDetails: PaymentDetails{PaymentMethodToken: "pm_1"},
	}
	require.NoError(t, card.Check())
	none := Customer{Email: "a@example.com"}
	require.NoError(t, none.Check())
}
