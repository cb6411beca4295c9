package pawapay

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
)

func TestToWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   money.Minor
		currency money.Currency
		decimals int
		want     string // empty: refused
	}{
		{5000, "XAF", 0, "5000"},
		{5000, "XAF", 2, "5000"},
		{5000, "UGX", 2, "5000"},
		{9950, "KES", 0, ""},
		{9900, "KES", 0, "99"},
		{1050, "KES", 0, ""},
		{9950, "GHS", 2, "99.5"},
		{1, "GHS", 2, "0.01"},
		{10, "GHS", 2, "0.1"},
		{100, "GHS", 2, "1"},
		{1234567, "ZMW", 2, "12345.67"},
		{0, "GHS", 2, ""},
		{-1, "GHS", 2, ""},
	} {
		got, err := toWire(c.amount, c.currency, c.decimals, "X")
		require.Equal(t, c.want, got, "%d %s", c.amount, c.currency)
		require.Equal(t, c.want == "", err != nil)
	}
}

func TestFromWire(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Minor{
		"100.00 RWF": 100, "100 RWF": 100, "15.00 ZMW": 1500, "15.5 ZMW": 1550, "0.01 ZMW": 1, "5. ZMW": 500,
		"99.500 ZMW": 9950,
	} {
		amount, currency, _ := strings.Cut(text, " ")
		got, c, err := fromWire(amount, currency)
		require.NoError(t, err, text)
		require.Equal(t, [2]any{want, money.Currency(currency)}, [2]any{got, c}, text)
	}
	for _, text := range []string{
		"100.50 RWF", "15.005 ZMW", "-5 ZMW", "+5 ZMW", "1e3 ZMW", "0x5 ZMW", ".5 ZMW", "1.-5 ZMW", " 5", "5 XXX", " ZMW",
		"99999999999999999999 ZMW", "1,000.00 ZMW", "١٥ ZMW",
	} {
		amount, currency, _ := strings.Cut(text, " ")
		_, _, err := fromWire(amount, currency)
		require.Equal(t, fault.Internal, fault.From(err).Kind, text)
	}
}

// An amount that is sent reads back unchanged, whatever the operator's decimals, and nothing is ever rounded.
func TestAmount_RoundTrip(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		o := rapid.SampledFrom(operators).Draw(t, "operator")
		var currencies []money.Currency
		for c := range o.decimals {
			currencies = append(currencies, c)
		}
		c := rapid.SampledFrom(currencies).Draw(t, "currency")
		amount := money.Minor(rapid.Int64Range(1, int64(money.MaxMinor)).Draw(t, "amount"))
		text, err := toWire(amount, c, o.decimals[c], o.code)
		if err != nil {
			require.NotZero(t, int64(amount)%100, "only fractions are refused")
			return
		}
		require.LessOrEqual(t, len(text), 23)
		require.NotRegexp(t, `^0[0-9]|\.$|\..*0$`, text)
		back, currency, err := fromWire(text, string(c))
		require.NoError(t, err)
		require.Equal(t, [2]any{amount, c}, [2]any{back, currency})
		if _, fraction, _ := strings.Cut(text, "."); len(fraction) > o.decimals[c] {
			require.Failf(t, "too fine", "%s at %s", text, o.code)
		}
	})
}

// Charge must not refuse an amount that the limits allow.
func TestLimits_AreTakenByEveryOperator(t *testing.T) {
	t.Parallel()
	for _, o := range operators {
		for c, decimals := range o.decimals {
			l := Limits(c)
			require.False(t, l.Unchargeable, c)
			for _, n := range []money.Minor{1, 7, 101} {
				_, err := toWire(l.Minimum+(n-1)*l.Granularity, c, decimals, o.code)
				require.NoError(t, err, "%s %s", o.code, c)
			}
		}
	}
	for c, want := range map[money.Currency]money.Limits{
		"KES": {Minimum: 100, Granularity: 100}, "CDF": {Minimum: 10000, Granularity: 100},
		"MZN": {Minimum: 100, Granularity: 100}, "TZS": {Minimum: 10000, Granularity: 100},
		"NGN": {Minimum: 10000, Granularity: 100}, "USD": {Minimum: 100, Granularity: 1},
		"GHS": {Minimum: 100, Granularity: 1}, "XAF": {Minimum: 100, Granularity: 1},
		"UGX": {Minimum: 100, Granularity: 1}, "EUR": {Unchargeable: true},
	} {
		require.Equal(t, want, Factory{}.Limits(c), c)
	}
}

func FuzzFromWire(f *testing.F) {
	for _, seed := range []string{"100.00", "15.5", "", ".", "00", "9999999999999999999", "-1", "1e9"} {
		f.Add(seed, "RWF")
		f.Add(seed, "ZMW")
	}
	f.Fuzz(func(t *testing.T, amount, currency string) {
		got, c, err := fromWire(amount, currency)
		if err != nil || c == "" {
			return
		}
		require.GreaterOrEqual(t, got, money.Minor(0))
		require.Equal(t, currency, string(c))
		if got == 0 || got > money.MaxMinor {
			return
		}
		text, err := toWire(got, c, 4, "X")
		require.NoError(t, err)
		again, _, err := fromWire(text, currency)
		require.NoError(t, err)
		require.Equal(t, got, again)
	})
}

func TestCustomerMessage(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"Invoice in_7":                          "Invoice in 7",
		"Invoice in_00000000000000000000000001": "Invoice in",
		"":                                      "Subscription",
		"日本語":                                   "Subscription",
		"a b":                                   "Subscription",
		"Supercalifragilisticexpialidocious":    "Supercalifragilisticex",
		"ACME – Pro plan, November 2026":        "ACME Pro plan November",
	} {
		require.Equal(t, want, customerMessage(description))
	}
	rapid.Check(t, func(t *rapid.T) {
		message := customerMessage(rapid.String().Draw(t, "description"))
		require.Regexp(t, `^[A-Za-z0-9][A-Za-z0-9 ]{2,20}[A-Za-z0-9]$`, message)
	})
}
