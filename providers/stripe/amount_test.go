package stripe

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
)

func TestToWire(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		amount   money.Minor
		currency money.Currency
		wire     int64
		code     string
	}{
		{1999, "USD", 1999, ""},
		{9950, "KES", 9950, ""},
		{5000, "XAF", 5000, ""},
		{1999, "JPY", 1999, ""},
		{5000, "UGX", 500000, ""},
		{100, "ISK", 10000, ""},
		{500000, "MGA", 5000, ""},
		{500001, "MGA", 0, "amount_not_representable"},
		{1230, "KWD", 1230, ""},
		{1235, "KWD", 0, "amount_not_representable"},
		{1230, "BHD", 1230, ""},
		{math.MaxInt64, "UGX", 0, "amount_not_representable"},
		{1000, "LYD", 0, "currency_unsupported"},
		{1000, "CLF", 0, "currency_unsupported"},
		{1000, "", 0, "currency_unsupported"},
		{0, "USD", 0, "amount_not_positive"},
		{-1, "USD", 0, "amount_not_positive"},
	} {
		wire, err := toWire(tc.amount, tc.currency)
		require.Equal(t, tc.wire, wire, "%d %s", tc.amount, tc.currency)
		if tc.code == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, tc.code, fault.From(err).Code, "%d %s", tc.amount, tc.currency)
		require.Equal(t, fault.Invalid, fault.From(err).Kind)
	}
}

func TestFromWire_Refuses(t *testing.T) {
	t.Parallel()
	for code, wire := range map[string]int64{"ugx": 500050, "isk": 1, "clf": 1, "": 1, "mga": math.MaxInt64} {
		_, _, err := fromWire(wire, code)
		require.Error(t, err, code)
	}
}

// An amount that is sent reads back unchanged, in every currency, or is not sent at all.
func TestAmount_RoundTrip(t *testing.T) {
	t.Parallel()
	codes := []money.Currency{
		"USD", "EUR", "KES", "XAF", "XOF", "RWF", "JPY", "UGX", "ISK", "MGA", "KWD", "BHD", "TND", "CLP", "VND",
	}
	sent := 0
	rapid.Check(t, func(rt *rapid.T) {
		c := rapid.SampledFrom(codes).Draw(rt, "currency")
		amount := money.Minor(rapid.Int64Range(1, math.MaxInt64).Draw(rt, "amount"))
		wire, err := toWire(amount, c)
		if err != nil {
			return
		}
		sent++
		back, code, err := fromWire(wire, string(c))
		require.NoError(rt, err)
		require.Equal(rt, amount, back)
		require.Equal(rt, c, code)
	})
	require.Positive(t, sent)
}
