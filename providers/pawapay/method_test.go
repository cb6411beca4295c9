package pawapay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

func TestCharge_ImpossibleRequests(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, nil) // fails the test if it is asked
	method := func(name string) func(*providers.ChargeRequest) {
		return func(in *providers.ChargeRequest) { in.Method.Type = name }
	}
	phone := func(number string) func(*providers.ChargeRequest) {
		return func(in *providers.ChargeRequest) { in.Method.PhoneNumber = number }
	}
	for name, c := range map[string]struct {
		spoil func(*providers.ChargeRequest)
		code  string
	}{
		"card":            {method("card"), "payment_method_unsupported"},
		"no number":       {phone(""), "payment_method_missing"},
		"local number":    {phone("0783456789"), "payment_method_phone_invalid"},
		"letters":         {phone("25078345678x"), "payment_method_phone_invalid"},
		"no operator":     {method("mobile_money_orange"), "payment_method_unsupported"},
		"foreign country": {phone("+4915112345678"), "payment_method_unsupported"},
		"wrong currency":  {func(in *providers.ChargeRequest) { in.Currency = "XAF" }, "payment_method_currency_mismatch"},
		"wave": {func(in *providers.ChargeRequest) {
			in.Method, in.Currency = providers.Method{Type: "mobile_money_wave", PhoneNumber: "+221773456789"}, "XOF"
		}, "payment_method_cannot_renew"},
		"orange": {func(in *providers.ChargeRequest) {
			in.Method, in.Currency = providers.Method{Type: "mobile_money_orange", PhoneNumber: "+22672345678"}, "XOF"
		}, "payment_method_cannot_renew"},
		"no key":         {func(in *providers.ChargeRequest) { in.Key = "" }, "provider_request_invalid"},
		"another key":    {func(in *providers.ChargeRequest) { in.Key = depositID }, "provider_request_invalid"},
		"no transaction": {func(in *providers.ChargeRequest) { in.TransactionID = "" }, "provider_request_invalid"},
		"no amount":      {func(in *providers.ChargeRequest) { in.Amount = 0 }, "amount_not_positive"},
		"too fine": {func(in *providers.ChargeRequest) {
			in.Method.Type, in.Method.PhoneNumber, in.Currency, in.Amount = "mobile_money_mpesa", "254703456789", "KES", 1050
		}, "amount_not_representable"},
	} {
		in := sampleCharge()
		c.spoil(&in)
		_, err := p.Charge(t.Context(), in)
		require.Error(t, err, name)
		require.Equal(t, [2]any{fault.Invalid, c.code}, [2]any{fault.From(err).Kind, fault.From(err).Code}, name)
		if in.Method.PhoneNumber != "" {
			require.NotContains(t, err.Error(), in.Method.PhoneNumber, name)
		}
	}
}

func TestWalletOf_OperatorByCallingCode(t *testing.T) {
	t.Parallel()
	for method, want := range map[[2]string]string{
		{"mobile_money_mtn", "250783456789"}:      "MTN_MOMO_RWA",
		{"mobile_money_MTN", "+237 653 456 789"}:  "MTN_MOMO_CMR",
		{"mobile_money_airtel", "256753456789"}:   "AIRTEL_OAPI_UGA",
		{"mobile_money_airtel", "260973456789"}:   "AIRTEL_OAPI_ZMB",
		{"mobile_money_airtel", "00250733456789"}: "AIRTEL_RWA",
		{"mobile_money_mpesa", "243813456789"}:    "VODACOM_MPESA_COD",
		{"mobile_money_mpesa", "255743456789"}:    "VODACOM_TZA",
		{"mobile_money_mpesa", "258843456789"}:    "VODACOM_MOZ",
		{"mobile_money_mpesa", "254703456789"}:    "MPESA_KEN",
	} {
		w, err := walletOf(providers.Method{Type: method[0], PhoneNumber: method[1]})
		require.NoError(t, err, method)
		require.Equal(t, want, w.code)
	}
}

// Every operator is reached by some method, no two by the same one, and each takes a currency that exists.
func TestOperators_AreReachable(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, o := range operators {
		require.Len(t, o.calling, callingDigits, o.code)
		require.NotEmpty(t, o.decimals, o.code)
		for c := range o.decimals {
			_, err := money.ParseCurrency(string(c))
			require.NoError(t, err, o.code)
		}
		for _, name := range o.names {
			require.Empty(t, seen[o.calling+name], "%s and %s are called alike", o.code, seen[o.calling+name])
			seen[o.calling+name] = o.code
			w, err := walletOf(providers.Method{Type: providers.MobileMoney + name, PhoneNumber: "+" + o.calling + "701234567"})
			require.NoError(t, err)
			require.Equal(t, o.code, w.code)
		}
	}
	require.Len(t, operators, 42)
}

func TestIdentity_RoundTrip(t *testing.T) {
	t.Parallel()
	id, ok := toOperationID(key)
	require.True(t, ok)
	require.Equal(t, depositID, id)
	require.Equal(t, key, fromOperationID(id))
	for _, foreign := range []string{"", "x", key[:35], "{" + key + "}", "0B9A1C5E-7A1D-5E0C-9D2F-6A4F5B3C2D1E"} {
		_, ok := toOperationID(foreign)
		require.False(t, ok, foreign)
		require.Empty(t, fromOperationID(foreign))
	}
}
