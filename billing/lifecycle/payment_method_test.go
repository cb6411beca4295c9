package lifecycle_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/customer"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
)

// Another method for a past-due subscription is tried at once, as another default is.
func TestSetPaymentMethod_RecoversPastDue(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	second := customer.Method{ID: "pm_second", Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: "tok_2"}}
	l.store.customer = l.store.customer.WithMethod(second) // as it is loaded from now on
	_, err := l.apply(lifecycle.SetPaymentMethod{MethodID: "pm_second", Method: second})
	require.NoError(t, err)
	require.Equal(t, "pm_second", l.sub().PaymentMethodID)
	l.advance()
	require.Equal(t, "pm_second", l.live("").PaymentMethodID)
	require.Equal(t, second.Details, l.live("").Method.Details)
	l.result(answer.Succeeded)
	require.Equal(t, subscription.Active, l.sub().Status)
}

// The same method again, or none that can be charged, tries nothing.
func TestSetPaymentMethod_TriesNothing(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	changes, err := l.apply(lifecycle.SetPaymentMethod{})
	require.NoError(t, err)
	require.Empty(t, changes.Events, "nothing changes")
	none := customer.Method{ID: "pm_second"}
	l.store.customer = l.store.customer.WithMethod(none)
	_, err = l.apply(lifecycle.SetPaymentMethod{MethodID: "pm_second", Method: none})
	require.NoError(t, err)
	require.True(t, l.sub().MethodChangedAt.IsZero())
	require.Nil(t, l.live(""))
}
