package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/lifecycle"
)

// A person's attempt with another payment method is that attempt alone: the schedule stays, and retries ask the method
// that they would have asked, also where the provider refuses the other one for good.
func TestPay_WithAnotherMethodOnce(t *testing.T) {
	t.Parallel()
	settings := settings
	settings.Dunning = blockedIsFinal()
	l := newLife(t, plans, settings, team, 0)
	l.store.customer.PaymentMethodID = "pm_first"
	own := l.store.customer.Method()
	other := customer.Method{ID: "pm_other", Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: "tok_other"}}
	l.until(created)
	l.declined("DECLINED")
	due := l.sub().NextActionAt

	l.must(lifecycle.Pay{MethodID: other.ID, Method: other})
	require.Equal(t, other.ID, l.live("").PaymentMethodID)
	require.Equal(t, other.Details, l.live("").Method.Details)
	require.Equal(t, own, l.store.customer.Method())
	l.declined("ACCOUNT_BLOCKED")

	require.Equal(t, due, l.sub().NextActionAt)
	l.toNext(0)
	require.Equal(t, "pm_first", l.live("").PaymentMethodID)
}

// Another method pays also where the customer has none of their own.
func TestPay_WithAMethodWhereThereIsNone(t *testing.T) {
	t.Parallel()
	l := newLife(t, plans, settings, team, 0)
	l.store.customer = l.store.customer.WithMethod(customer.Method{})
	l.until(created)
	require.Nil(t, l.live(""), "it failed at once")
	_, err := l.apply(lifecycle.Pay{})
	require.NoError(t, err)
	require.Nil(t, l.live(""))

	phone := customer.PaymentDetails{PhoneNumber: "+237670000001"}
	l.must(lifecycle.Pay{Method: customer.Method{Type: "mobile_money_mtn", Details: phone}})
	require.Equal(t, phone, l.live("").Method.Details)
	require.Empty(t, l.live("").PaymentMethodID, "it is not the customer's")
}
