package adyen

import (
	"math"
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
		currency money.Currency
		minor    money.Minor
		wire     int64
		code     string
	}{
		{"EUR", 1999, 1999, ""},
		{"XAF", 5000, 5000, ""},
		{"UGX", 5000, 5000, ""},
		{"JPY", 1999, 1999, ""},
		{"KES", 9950, 9950, ""},
		{"KWD", 1235, 1235, ""},
		{"CLP", 500, 50000, ""},
		{"ISK", 100, 10000, ""},
		{"CVE", 1000, 10, ""},
		{"CVE", 1050, 0, "amount_not_representable"},
		{"IDR", 1500000, 15000, ""},
		{"IDR", 1500001, 0, "amount_not_representable"},
		{"CLP", math.MaxInt64, 0, "amount_not_representable"},
		{"BIF", 100, 0, "currency_unsupported"},
		{"CLF", 100, 0, "currency_unsupported"},
		{"", 100, 0, "currency_unsupported"},
		{"EUR", 0, 0, "amount_not_positive"},
		{"EUR", -1, 0, "amount_not_positive"},
	} {
		wire, err := toWire(c.minor, c.currency)
		if c.code != "" {
			require.Equal(t, c.code, fault.From(err).Code, "%v", c)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, amount{Currency: string(c.currency), Value: c.wire}, wire)
	}
}

func TestAmounts_RoundTrip(t *testing.T) {
	t.Parallel()
	currencies := []money.Currency{"EUR", "USD", "XAF", "JPY", "KWD", "TND", "CLP", "ISK", "CVE", "IDR", "MGA", "UGX"}
	rapid.Check(t, func(t *rapid.T) {
		c := rapid.SampledFrom(currencies).Draw(t, "currency")
		minor := money.Minor(rapid.Int64Min(1).Draw(t, "minor"))
		wire, err := toWire(minor, c)
		if err != nil {
			require.Equal(t, "amount_not_representable", fault.From(err).Code)
			return
		}
		back, currency, err := fromWire(wire)
		require.NoError(t, err)
		require.Equal(t, [2]any{minor, c}, [2]any{back, currency})
	})
}

func FuzzFromWire(f *testing.F) {
	f.Add("ISK", int64(10000))
	f.Add("CVE", int64(math.MaxInt64))
	f.Fuzz(func(t *testing.T, currency string, value int64) {
		minor, c, err := fromWire(amount{Currency: currency, Value: value})
		if err != nil || minor <= 0 {
			return
		}
		wire, err := toWire(minor, c)
		require.NoError(t, err)
		require.Equal(t, amount{Currency: currency, Value: value}, wire)
	})
}

// Charge refuses nothing for its amount that the limits allow, and everything that they do not.
func TestLimits_AgreeWithCharge(t *testing.T) {
	t.Parallel()
	require.Equal(t, providers.Limits{Minimum: 1, Granularity: 1}, Factory{}.Limits("EUR"))
	require.Equal(t, providers.Limits{Minimum: 100, Granularity: 100}, Factory{}.Limits("IDR"))
	require.Equal(t, providers.Limits{Minimum: 1, Granularity: 1}, Factory{}.Limits("ISK"))
	require.True(t, Factory{}.Limits("CLF").Unchargeable)
	rapid.Check(t, func(t *rapid.T) {
		c := money.Currency(rapid.SampledFrom([]string{"EUR", "CVE", "IDR", "ISK", "KWD", "XAF", "BIF"}).Draw(t, "currency"))
		minor := money.Minor(rapid.Int64Range(1, 1e12).Draw(t, "minor"))
		l := Limits(c)
		allowed := !l.Unchargeable && minor >= l.Minimum && minor%max(l.Granularity, 1) == 0
		_, err := toWire(minor, c)
		require.Equal(t, allowed, err == nil)
	})
}
