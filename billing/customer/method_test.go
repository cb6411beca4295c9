package customer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/customer"
	"perennial/billing/fault"
)

// A wallet is recognized by its country and last digits, and never by the whole number.
func TestMethod_MaskedPhone(t *testing.T) {
	t.Parallel()
	for number, want := range map[string]string{
		"": "", "+237670000001": "+237*******01", "+44770090": "+447***90", "+1234": "*****",
	} {
		m := customer.Method{Details: customer.PaymentDetails{PhoneNumber: number}}
		require.Equal(t, want, m.MaskedPhone())
	}
}

func TestMethod_Check(t *testing.T) {
	t.Parallel()
	card := customer.Method{Type: "card", Details: customer.PaymentDetails{PaymentMethodToken: "tok"}}
	changed := func(change func(*customer.Method)) customer.Method {
		m := card
		change(&m)
		return m
	}
	for _, c := range []struct {
		m           customer.Method
		code, param string // empty: it is right
	}{
		{m: card},
		{m: changed(func(m *customer.Method) { m.Card = customer.Card{Brand: "visa", ExpiryYear: 2030, ExpiryMonth: 2} })},
		{customer.Method{}, "field_missing", "paymentMethod"},
		{changed(func(m *customer.Method) { m.Details.PaymentMethodToken = "" }), "field_missing",
			"paymentDetails.paymentMethodToken"},
		{changed(func(m *customer.Method) { m.Card.ExpiryMonth = 2 }), "card_expiry_invalid", "card"},
		{changed(func(m *customer.Method) {
			m.Type, m.Details, m.Card.Brand = "mobile_money_mtn", customer.PaymentDetails{PhoneNumber: "+237670000001"}, "visa"
		}), "card_details_misplaced", "card"},
	} {
		f := fault.From(c.m.Check())
		if c.code == "" {
			require.Nil(t, f)
			continue
		}
		require.Equal(t, [2]string{c.code, c.param}, [2]string{f.Code, f.Param})
	}
}

func TestSuccessor_OldestOfTheOthers(t *testing.T) {
	t.Parallel()
	methods := []customer.Method{{ID: "pm_1"}, {ID: "pm_2"}, {ID: "pm_3"}}
	require.Equal(t, "pm_2", customer.Successor(methods, "pm_1").ID)
	require.Equal(t, "pm_1", customer.Successor(methods, "pm_3").ID)
	require.Empty(t, customer.Successor(methods[:1], "pm_1").ID)
}

// A named method is charged in place of the default; the others follow, the default first and then the oldest.
func TestCustomer_Charged(t *testing.T) {
	t.Parallel()
	all := []customer.Method{{ID: "pm_1"}, {ID: "pm_2", Default: true}, {ID: "pm_3"}}
	c := customer.Customer{PaymentMethodID: "pm_2"}
	for named, want := range map[string][]string{
		"": {"pm_2", "pm_1", "pm_3"}, "pm_3": {"pm_3", "pm_2", "pm_1"}, "pm_gone": {"pm_2", "pm_1", "pm_3"},
	} {
		payer, others := c.Charged(all, named)
		got := []string{payer.PaymentMethodID}
		for _, m := range others {
			got = append(got, m.ID)
		}
		require.Equal(t, want, got, named)
	}
}
