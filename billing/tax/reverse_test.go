package tax_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/tax"
)

func TestPayer_SoldBy(t *testing.T) {
	t.Parallel()
	german := tax.IDs{{Type: "eu_vat", Value: "DE 136 695 976"}}
	british, norwegian := tax.IDs{{Type: "gb_vat", Value: "GB980780684"}}, tax.IDs{{Type: "no_vat", Value: "974760673"}}
	doubtful, confirmed := tax.IDs{{Type: "eu_vat", Value: "DE123456789"}}, tax.IDs{{Type: "eu_vat", Value: "DE123456789"}}
	confirmed[0].VerifiedAt = noon
	told := tax.IDs{{Type: "company", Value: "HRB 1", Country: "DE", VerifiedAt: noon}}
	for name, c := range map[string]struct {
		seller string
		payer  tax.Payer
		want   tax.Exemption
	}{
		"business of another member":         {"FR", tax.Payer{Country: "DE", IDs: german}, tax.Reverse},
		"business of a member, from outside": {"CM", tax.Payer{Country: "DE", IDs: german}, tax.Reverse},
		"the same country":                   {"DE", tax.Payer{Country: "DE", IDs: german}, ""},
		"seller not known":                   {"", tax.Payer{Country: "DE", IDs: german}, ""},
		"buyer not known":                    {"FR", tax.Payer{IDs: german}, ""},
		"id of another country":              {"FR", tax.Payer{Country: "AT", IDs: german}, ""},
		"no id":                              {"FR", tax.Payer{Country: "DE"}, ""},
		"doubtful id":                        {"FR", tax.Payer{Country: "DE", IDs: doubtful}, ""},
		"doubtful id, confirmed":             {"FR", tax.Payer{Country: "DE", IDs: confirmed}, tax.Reverse},
		"id of an unknown type, confirmed":   {"FR", tax.Payer{Country: "DE", IDs: told}, tax.Reverse},
		"Greece": {
			"FR", tax.Payer{Country: "GR", IDs: tax.IDs{{Type: "eu_vat", Value: "EL094259216"}}}, tax.Reverse,
		},
		"Northern Ireland": {
			"FR", tax.Payer{Country: "GB", IDs: tax.IDs{{Type: "eu_vat", Value: "XIGD001"}}}, tax.Reverse,
		},
		"United Kingdom": {"DE", tax.Payer{Country: "GB", IDs: british}, tax.Reverse},
		"Norway":         {"DE", tax.Payer{Country: "NO", IDs: norwegian}, tax.Reverse},
		"elsewhere": {
			"DE", tax.Payer{Country: "US", IDs: tax.IDs{{Type: "us_ein", Value: "12-3456789"}}}, "",
		},
		"exempt by hand":  {"FR", tax.Payer{Country: "DE", IDs: german, Exemption: tax.Exempt}, tax.Exempt},
		"taxed by hand":   {"FR", tax.Payer{Country: "DE", IDs: german, Exemption: tax.Taxed}, tax.Taxed},
		"reverse by hand": {"DE", tax.Payer{Country: "DE", Exemption: tax.Reverse}, tax.Reverse},
	} {
		got := c.payer.SoldBy(c.seller)
		require.Equal(t, c.want, got.Exemption, name)
	}
	require.Equal(t, "Reverse charge", tax.Reverse.Notice())
	require.Empty(t, tax.Exempt.Notice())
	require.Empty(t, tax.Taxed.Notice())
	require.Equal(t, []tax.Exemption{"", tax.Exempt, tax.Reverse, ""}, []tax.Exemption{
		tax.Exemption("").OfInvoice(), tax.Exempt.OfInvoice(), tax.Reverse.OfInvoice(), tax.Taxed.OfInvoice(),
	}, "an invoice says why it is not taxed, and nothing of why it is")
}
