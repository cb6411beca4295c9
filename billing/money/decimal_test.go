package money_test

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

func anyCurrency() *rapid.Generator[money.Currency] {
	return rapid.SampledFrom([]money.Currency{"XAF", "USD", "BHD", "CLF"})
}

func TestRoundDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in       string
		currency money.Currency
		want     money.Minor
	}{
		{"19.99", "USD", 1999},
		{"0.005", "USD", 1},
		{"-0.005", "USD", -1},
		{"0.00499999999999999999999999999999999999999", "USD", 0},
		{"-0.0049", "USD", 0},
		{"2.5", "XAF", 3},
		{"3.5", "XAF", 4}, // a banker would say 4 as well, but 2 above
		{"-2.5", "XAF", -3},
		{"1.0005", "BHD", 1001},
		{"0.00005", "CLF", 1},
		{"1e3", "XAF", 1000},
		{"0e99999", "XAF", 0},
		{"-0", "USD", 0},
		{"1e-99999", "USD", 0},
		{"9.5e-1", "XAF", 1},
		{"5e-1", "XAF", 1},
		{"4e-1", "XAF", 0},
		{"5e-2", "XAF", 0},
		{"9999999999.99", "USD", money.MaxMinor},
		{"9999999999.994", "USD", money.MaxMinor},
	} {
		got, err := money.RoundDecimal(decimal(t, c.in), c.currency)
		require.NoError(t, err, c.in)
		require.Equal(t, c.want, got, c.in)
	}
}

func TestRoundDecimal_Refuses(t *testing.T) {
	t.Parallel()
	for in, code := range map[string]string{
		"9999999999.995":         "amount_too_large",
		"-9999999999.995":        "amount_too_large",
		"10000000000":            "amount_too_large",
		"1e99999":                "amount_too_large",
		"NaN":                    "amount_invalid",
		"Infinity":               "amount_invalid",
		"-Infinity":              "amount_invalid",
		strings.Repeat("9", 201): "amount_invalid",
	} {
		_, err := money.RoundDecimal(decimal(t, in), "USD")
		requireFault(t, err, code, "")
	}
	_, err := money.RoundDecimal(nil, "USD")
	requireFault(t, err, "amount_invalid", "")
}

// TestRoundDecimal_IsExact compares with rational arithmetic: |rounded − d| is at most half a unit, and a half goes
// away from zero.
func TestRoundDecimal_IsExact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		coefficient := rapid.Int64Range(-1_000_000_000_000, 1_000_000_000_000).Draw(t, "coefficient")
		exponent := rapid.Int32Range(-12, 0).Draw(t, "exponent")
		currency := anyCurrency().Draw(t, "currency")
		got, err := money.RoundDecimal(apd.New(coefficient, exponent), currency)

		scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(-exponent)), nil)
		units := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(currency.Decimals())), nil)
		exact := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(coefficient), units), scale)
		magnitude := new(big.Rat).Add(new(big.Rat).Abs(exact), big.NewRat(1, 2))
		want := new(big.Int).Quo(magnitude.Num(), magnitude.Denom())
		if exact.Sign() < 0 {
			want.Neg(want)
		}
		requireExact(t, want, got, err)
	})
}

func TestFormat(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   money.Minor
		currency money.Currency
		want     string
	}{
		{1999, "USD", "19.99 USD"},
		{5000, "XAF", "5000 XAF"},
		{-5, "EUR", "-0.05 EUR"},
		{0, "EUR", "0.00 EUR"},
		{-1, "XAF", "-1 XAF"},
		{1, "BHD", "0.001 BHD"},
		{12345, "CLF", "1.2345 CLF"},
		{100, "USD", "1.00 USD"},
		{math.MinInt64, "USD", "-92233720368547758.08 USD"},
	} {
		require.Equal(t, c.want, money.Format(c.amount, c.currency))
	}
}

func TestRoundDecimal_ReadsWhatFormatWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := money.Minor(rapid.Int64Range(-int64(money.MaxMinor), int64(money.MaxMinor)).Draw(t, "m"))
		c := anyCurrency().Draw(t, "currency")
		units, _, err := apd.NewFromString(money.FormatUnits(m, c))
		require.NoError(t, err)
		got, err := money.RoundDecimal(units, c)
		require.NoError(t, err)
		require.Equal(t, m, got)
	})
}

func decimal(t *testing.T, s string) *apd.Decimal {
	t.Helper()
	d, _, err := apd.NewFromString(s)
	require.NoError(t, err)
	return d
}
