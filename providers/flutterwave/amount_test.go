package flutterwave

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
	"perennial/providers"
)

func TestToWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		amount   money.Minor
		currency money.Currency
		want     string
	}{
		{5000, "XAF", "5000"}, {5000, "UGX", "5000"}, {9950, "KES", "99.5"}, {20000, "GHS", "200"},
		{123456, "USD", "1234.56"},
		{1, "USD", "0.01"}, {10, "USD", "0.1"}, {1230, "KWD", "1.23"}, {1, "XOF", "1"}, {100, "MGA", "1"},
		{999999999999, "USD", "9999999999.99"}, {1000, "JPY", "1000"},
	} {
		got, err := toWire(c.amount, c.currency)
		require.NoError(t, err)
		require.Equal(t, c.want, string(got), c.currency)
		encoded, err := json.Marshal(map[string]any{"amount": got})
		require.NoError(t, err)
		require.Equal(t, `{"amount":`+c.want+`}`, string(encoded), "a number, not a text")
	}
	for _, c := range []struct {
		amount   money.Minor
		currency money.Currency
		code     string
	}{
		{0, "USD", "amount_not_positive"}, {-5, "USD", "amount_not_positive"},
		{1235, "KWD", "amount_not_representable"}, {1, "BHD", "amount_not_representable"},
		{100, "CLF", "currency_unsupported"}, {100, "", "currency_unsupported"},
	} {
		_, err := toWire(c.amount, c.currency)
		require.Equal(t, c.code, fault.From(err).Code)
	}
}

func TestFromWire(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wire, currency string
		want           money.Minor
	}{
		{"200", "GHS", 20000}, {"200.0", "GHS", 20000}, {"99.5", "kes", 9950}, {"1e3", "XAF", 1000}, {"12.34", "USD", 1234},
		{"0.01", "USD", 1}, {"0", "USD", 0}, {"5000.00", "UGX", 5000}, {"1.235", "KWD", 1235},
	} {
		got, currency, err := fromWire(json.Number(c.wire), c.currency)
		require.NoError(t, err, c.wire)
		require.Equal(t, c.want, got, c.wire)
		require.Equal(t, strings.ToUpper(c.currency), string(currency))
	}
	for _, c := range [][2]string{
		{"12.345", "USD"}, {"0.5", "XAF"}, {"-1", "USD"}, {"", "USD"}, {"NaN", "USD"}, {"Infinity", "USD"}, {"1e400", "USD"},
		{"1e-400", "USD"}, {"99999999999999999999", "USD"}, {"1", "XXX"}, {"1", ""}, {strings.Repeat("1", 5000), "USD"},
		{"1e999999999", "USD"},
	} {
		_, _, err := fromWire(json.Number(c[0]), c[1])
		require.Error(t, err, c)
		require.Less(t, len(err.Error()), 300)
	}
}

// Whatever the limits allow goes to the wire and comes back the same.
func TestAmount_RoundTrip(t *testing.T) {
	t.Parallel()
	var codes []money.Currency
	for c := range currencies {
		codes = append(codes, c)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(codes).Draw(t, "currency")
		l := Limits(c)
		amount := l.Collectable(money.Minor(rapid.Int64Range(1, int64(money.MaxMinor)).Draw(t, "amount")))
		if amount == 0 {
			amount = l.Minimum
		}
		wire, err := toWire(amount, c)
		require.NoError(t, err)
		back, currency, err := fromWire(wire, string(c))
		require.NoError(t, err)
		require.Equal(t, [2]any{amount, c}, [2]any{back, currency})
		_, err = json.Marshal(wire)
		require.NoError(t, err)
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for c, want := range map[money.Currency]providers.Limits{
		"USD": {Minimum: 1, Granularity: 1}, "XAF": {Minimum: 1, Granularity: 1}, "UGX": {Minimum: 1, Granularity: 1},
		"KWD": {Minimum: 10, Granularity: 10}, "CLF": {Unchargeable: true}, "XCG": {Unchargeable: true},
	} {
		require.Equal(t, want, Factory{}.Limits(c), c)
	}
	for c := range currencies {
		_, err := money.ParseCurrency(string(c))
		require.NoError(t, err, c)
		l := Limits(c)
		for amount := money.Minor(1); amount < 200; amount++ {
			_, err := toWire(amount, c)
			require.Equal(t, amount%l.Granularity == 0, err == nil, "%d %s", amount, c)
		}
	}
}

// No number that a provider may write is read as another one.
func FuzzFromWire(f *testing.F) {
	for _, s := range []string{"1", "12.34", "1e3", "-0", "0.005", "1E-2", "00012", "1_000", ".5", "9e99999999"} {
		f.Add(s, "USD")
	}
	f.Fuzz(func(t *testing.T, wire, currency string) {
		minor, c, err := fromWire(json.Number(wire), currency)
		if err != nil {
			return
		}
		require.GreaterOrEqual(t, minor, money.Minor(0))
		again, _, err := fromWire(json.Number(money.FormatUnits(minor, c)), string(c))
		require.NoError(t, err)
		require.Equal(t, minor, again)
	})
}
