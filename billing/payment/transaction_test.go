package payment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
)

func TestSuccess_NeedsRequestedAmountAndCurrency(t *testing.T) {
	t.Parallel()
	asked := payment.Transaction{Amount: 1000, Currency: "EUR"}
	for name, c := range map[string]struct {
		amount   money.Minor
		currency money.Currency
		want     bool
	}{
		"the same":             {1000, "EUR", true},
		"nothing said":         {0, "", true},
		"only the amount said": {1000, "", true},
		"only the currency":    {0, "EUR", true},
		"more":                 {1001, "EUR", false},
		"less":                 {999, "EUR", false},
		"another currency":     {1000, "USD", false},
		"a wrong amount alone": {1, "", false},
		"a refund's sign":      {-1000, "EUR", false},
	} {
		require.Equal(t, c.want, asked.Confirms(c.amount, c.currency), name)
	}
}
