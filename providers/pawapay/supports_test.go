package pawapay

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/providers"
)

func TestSupports_ByOperator(t *testing.T) {
	t.Parallel()
	prompt := providers.MethodSupport{Accepted: true, Renewal: providers.RenewalPrompt, ByAccount: true}
	in := func(s providers.MethodSupport, currencies ...money.Currency) providers.MethodSupport {
		s.Currencies = currencies
		return s
	}
	never := prompt
	never.Renewal = providers.RenewalImpossible
	refused := func(field providers.MethodField, known ...string) providers.MethodSupport {
		return providers.MethodSupport{Renewal: providers.RenewalImpossible, Field: field, Known: known}
	}
	for method, want := range map[[2]string]providers.MethodSupport{
		{"mobile_money_mtn", "+250783456789"}:   in(prompt, "RWF"),
		{"mobile_money_mpesa", "+243813456789"}: in(prompt, "CDF", "USD"),
		{"mobile_money_wave", "+221773456789"}:  in(never, "XOF"),
		{"mobile_money_orange", "+22672345678"}: in(never, "XOF"),
		{"mobile_money_none", "+250783456789"}:  refused(providers.FieldMethod, "mobile_money_airtel", "mobile_money_mtn"),
		{"mobile_money_mtn", "+4915112345678"}:  refused(providers.FieldPhone),
		{"mobile_money_mtn", "+25"}:             refused(providers.FieldPhone),
		{"mobile_money_mtn", ""}:                refused(providers.FieldPhone),
		{"card", ""}:                            refused(providers.FieldMethod),
	} {
		got := Factory{}.Supports(providers.Method{Type: method[0], PhoneNumber: method[1]})
		require.Equal(t, want.Renewal == providers.RenewalImpossible, got.Reason != "", method)
		got.Reason = ""
		require.Equal(t, want, got, method)
	}
}

// The account's active configuration decides, and where it cannot be read, what is known of the operator.
func TestSupports_ByAccount(t *testing.T) {
	t.Parallel()
	mtn := providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+250783456789"}
	for name, c := range map[string]struct {
		conf    string
		accepts bool
		renewal providers.Renewal
		known   []string
	}{
		"activated":     {activated("MTN_MOMO_RWA", "RWF", usual), true, providers.RenewalPrompt, nil},
		"not activated": {activated("AIRTEL_RWA", "RWF", usual), false, providers.RenewalImpossible, []string{"mobile_money_airtel"}},
		"by a link": {activated("MTN_MOMO_RWA", "RWF", `"authType":"REDIRECT_AUTH","status":"OPERATIONAL"`), true,
			providers.RenewalImpossible, nil},
		"away": {"503 ", true, providers.RenewalPrompt, nil},
	} {
		p, _ := answering(t, map[string]string{conf: c.conf})
		got := p.Supports(t.Context(), mtn)
		require.Equal(t, c.accepts, got.Accepted, name)
		require.Equal(t, c.renewal, got.Renewal, name)
		require.Equal(t, c.known, got.Known, name)
		require.Equal(t, c.renewal == providers.RenewalImpossible, got.Reason != "", name)
	}
}
