package payment_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/paymethod"
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

func TestMethod_Refusal(t *testing.T) {
	t.Parallel()
	saved := payment.Method{Type: "card"}
	saved.Details.Provider, saved.Details.PaymentMethodToken = "stripe", "pm_1"
	unnamed, named := saved, saved
	unnamed.Details.Provider, named.Details.PaymentMethodToken = "", ""
	takes := &paymethod.Support{Accepted: true, Reason: "it cannot renew"}
	refuses := &paymethod.Support{Reason: "it takes no cards"}
	const elsewhere = "the payment method was saved at stripe"
	for name, c := range map[string]struct {
		method   payment.Method
		provider string
		support  *paymethod.Support
		want     string
	}{
		"where it was saved":                  {saved, "stripe", takes, ""},
		"where it was saved, not taken":       {saved, "stripe", refuses, "it takes no cards"},
		"where it was saved, nothing known":   {saved, "stripe", nil, ""},
		"elsewhere, though its form is taken": {saved, "adyen", takes, elsewhere},
		"elsewhere, not taken either":         {saved, "adyen", refuses, elsewhere},
		"elsewhere, nothing known":            {saved, "adyen", nil, elsewhere},
		"saved, and no word where":            {unnamed, "adyen", takes, ""},
		"a provider named, nothing saved":     {named, "adyen", takes, ""},
		"nothing saved, not taken":            {named, "adyen", refuses, "it takes no cards"},
	} {
		require.Equal(t, c.want, c.method.Refusal(c.provider, c.support), name)
	}
}
