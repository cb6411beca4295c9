package paymethod_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/billing/paymethod"
)

var (
	card   = paymethod.Support{Accepted: true, Renewal: paymethod.RenewalUnattended}
	prompt = paymethod.Support{Accepted: true, Renewal: paymethod.RenewalPrompt, Currencies: []money.Currency{"XAF"}}
	ussd   = paymethod.Support{Accepted: true, Renewal: paymethod.RenewalImpossible, Reason: "The payer dials *126#."}
	other  = paymethod.Support{Reason: "No such operator.", Known: []string{"mobile_money_mtn_cm"}}
	number = paymethod.Support{Reason: "The number has too few digits.", Field: paymethod.FieldPhone}
	never  = paymethod.Support{Reason: "Cards only."}
)

func TestCheck_SaysWhatToSendInstead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found         []paymethod.Support
		param, detail string // of the refusal; empty: there is none
	}{
		"no account":          {},
		"one of two takes it": {found: []paymethod.Support{never, card}},
		"an operator before all": {
			[]paymethod.Support{never, number, other}, "paymentMethod", "Send one of: mobile_money_mtn_cm.",
		},
		"the number before others": {[]paymethod.Support{never, number}, "paymentDetails.phoneNumber", number.Reason},
		"what each says, once":     {[]paymethod.Support{never, never}, "paymentMethod", "Cards only."},
	} {
		err := paymethod.Check("mobile_money_orange_cm", c.found)
		if c.param == "" {
			require.NoError(t, err, name)
			continue
		}
		f := fault.From(err)
		require.Equal(t, [2]string{"payment_method_unsupported", c.param}, [2]string{f.Code, f.Param}, name)
		require.Contains(t, f.Detail, c.detail, name)
	}
}

func TestCheckRenewable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		found    []paymethod.Support
		currency money.Currency
		code     string // empty: it renews
	}{
		"no account":                       {currency: "XAF"},
		"nobody has to do anything":        {[]paymethod.Support{card}, "EUR", ""},
		"a prompt in its currency":         {[]paymethod.Support{prompt}, "XAF", ""},
		"in another one":                   {[]paymethod.Support{prompt}, "EUR", "payment_method_currency_mismatch"},
		"the payer would have to begin it": {[]paymethod.Support{ussd}, "XAF", "payment_method_cannot_renew"},
		"one of two renews":                {[]paymethod.Support{ussd, prompt}, "XAF", ""},
		"none takes it":                    {[]paymethod.Support{never}, "XAF", "payment_method_unsupported"},
	} {
		err := paymethod.CheckRenewable("mobile_money_mtn_cm", c.found, c.currency, "customerId")
		if c.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, [2]string{c.code, "customerId"}, [2]string{fault.From(err).Code, fault.From(err).Param}, name)
	}
}
