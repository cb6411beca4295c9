package money_test

import (
	"strings"
	"testing"

	"github.com/bojanz/currency"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
)

// isoDecimals lists, by ISO 4217 exponent, the codes that providers and libraries disagree about and those we sell in.
var isoDecimals = map[int]string{
	0: "XAF XOF RWF UGX JPY KRW BIF DJF GNF KMF CLP PYG VND VUV XPF ISK",
	2: "USD EUR GBP KES GHS ZMW TZS NGN CDF ETB LSL MWK MZN SLE ZAR EGP MAD MGA HUF TWD IDR COP CVE PKR LAK RSD MRU " +
		"ZWG VED XCG",
	3: "BHD KWD OMR JOD TND LYD IQD",
	4: "CLF UYW",
}

func TestDecimals(t *testing.T) {
	t.Parallel()
	for decimals, codes := range isoDecimals {
		for code := range strings.FieldsSeq(codes) {
			c, err := money.ParseCurrency(code)
			require.NoError(t, err, code)
			require.Equal(t, decimals, c.Decimals(), code)
		}
	}
	require.Equal(t, 2, money.Currency("ANG").Decimals(), "withdrawn, yet on old invoices")
	require.Equal(t, 2, money.Currency("???").Decimals(), "unknown")
}

func TestDecimals_EveryCode(t *testing.T) {
	t.Parallel()
	for _, code := range currency.GetCurrencyCodes() {
		decimals := money.Currency(code).Decimals()
		require.True(t, decimals >= 0 && decimals <= 4, code)
	}
}

func TestParseCurrency_Refuses(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]string{
		"empty":            "",
		"lower case":       "eur",
		"mixed case":       "Eur",
		"space":            "EUR ",
		"short":            "EU",
		"long":             "EURO",
		"numeric":          "978",
		"never was one":    "QQQ",
		"no currency":      "XXX",
		"for tests":        "XTS",
		"gold":             "XAU",
		"withdrawn 2023":   "HRK",
		"withdrawn 2025":   "ANG",
		"withdrawn 2026":   "BGN",
		"look-alike":       "ЕUR",
		"a very long text": strings.Repeat("EUR", 10_000),
	} {
		_, err := money.ParseCurrency(s)
		requireFault(t, err, "currency_unknown", "currency")
		require.Less(t, len(err.Error()), 200, name)
	}
}

func TestParseCurrency_Accepts(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"EUR", "XAF", "XCG", "CLF"} {
		c, err := money.ParseCurrency(code)
		require.NoError(t, err)
		require.Equal(t, code, c.String())
	}
}
