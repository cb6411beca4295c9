package pawapay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/paymethod"
	"perennial/providers"
)

func TestSupports_ByOperator(t *testing.T) {
	t.Parallel()
	prompt := paymethod.Support{Accepted: true, Renewal: paymethod.RenewalPrompt, ByAccount: true}
	in := func(s paymethod.Support, currencies ...money.Currency) paymethod.Support {
		s.Currencies = currencies
		return s
	}
	never := prompt
	never.Renewal = paymethod.RenewalImpossible
	refused := func(field paymethod.Field, known ...string) paymethod.Support {
		return paymethod.Support{Renewal: paymethod.RenewalImpossible, Field: field, Known: known}
	}
	for method, want := range map[[2]string]paymethod.Support{
		{"mobile_money_mtn", "+250783456789"}:   in(prompt, "RWF"),
		{"mobile_money_mpesa", "+243813456789"}: in(prompt, "CDF", "USD"),
		{"mobile_money_wave", "+221773456789"}:  in(never, "XOF"),
		{"mobile_money_orange", "+22672345678"}: in(never, "XOF"),
		{"mobile_money_none", "+250783456789"}:  refused(paymethod.FieldMethod, "mobile_money_airtel", "mobile_money_mtn"),
		{"mobile_money_mtn", "+4915112345678"}:  refused(paymethod.FieldPhone),
		{"mobile_money_mtn", "+25"}:             refused(paymethod.FieldPhone),
		{"mobile_money_mtn", ""}:                refused(paymethod.FieldPhone),
		{"card", ""}:                            refused(paymethod.FieldMethod),
	} {
		got := Factory{}.Supports(providers.Method{Type: method[0], PhoneNumber: method[1]})
		require.Equal(t, want.Renewal == paymethod.RenewalImpossible, got.Reason != "", method)
		got.Reason = ""
		require.Equal(t, want, got, method)
	}
}

// The account's active configuration decides; where it cannot be read, the table of operators does.
func TestSupports_ByAccount(t *testing.T) {
	t.Parallel()
	mtn := providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250783456789"}
	for name, c := range map[string]struct {
		conf    string
		accepts bool
		renewal paymethod.Renewal
		known   []string
	}{
		"activated": {activated("MTN_MOMO_RWA", "RWF", usual), true, paymethod.RenewalPrompt, nil},
		"not activated": {
			activated("AIRTEL_RWA", "RWF", usual), false, paymethod.RenewalImpossible, []string{"mobile_money_airtel"},
		},
		"by a link": {activated("MTN_MOMO_RWA", "RWF", `"authType":"REDIRECT_AUTH","status":"OPERATIONAL"`), true,
			paymethod.RenewalImpossible, nil},
		"away": {"503 ", true, paymethod.RenewalPrompt, nil},
	} {
		p, _ := answering(t, map[string]string{conf: c.conf})
		got := p.Supports(t.Context(), mtn)
		require.Equal(t, c.accepts, got.Accepted, name)
		require.Equal(t, c.renewal, got.Renewal, name)
		require.Equal(t, c.known, got.Known, name)
		require.Equal(t, c.renewal == paymethod.RenewalImpossible, got.Reason != "", name)
	}
}
