package money_test

import (
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

// digits is 1.5 written with so many digits.
func digits(n int) string { return "1.5" + strings.Repeat("0", n-2) }

// TestRoundDecimal_AcceptsTwoHundredDigits and not one more: what takes longer to round is no amount.
func TestRoundDecimal_AcceptsTwoHundredDigits(t *testing.T) {
	t.Parallel()
	number := func(s string) *apd.Decimal {
		d, _, err := apd.NewFromString(s)
		require.NoError(t, err)
		return d
	}
	got, err := money.RoundDecimal(number(digits(200)), "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(150), got)
	_, err = money.RoundDecimal(number(digits(201)), "EUR")
	require.ErrorContains(t, err, "amount_invalid")
}

func TestReadDecimal_Bounds(t *testing.T) {
	t.Parallel()
	got, err := money.ReadDecimal(digits(200))
	require.NoError(t, err)
	require.Equal(t, "1.5", got.String())
	for _, text := range []string{"", "x", "NaN", "Infinity", "-Infinity", digits(201)} {
		_, err := money.ReadDecimal(text)
		require.ErrorContains(t, err, "decimal_invalid", text)
	}
}

func TestRounding_IsKnown(t *testing.T) {
	t.Parallel()
	for rounding, want := range map[money.Rounding]bool{
		money.RoundHalfUp: true, money.RoundUp: true, money.RoundDown: true, "": false, "half_even": false,
	} {
		require.Equal(t, want, rounding.IsKnown(), rounding)
	}
}

// Short numbers have a separate reader, and leading zeros select the general one: both return the same.
func TestReadDecimal_ShortAsLong(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sign := rapid.SampledFrom([]string{"", "-"}).Draw(t, "sign")
		number := rapid.StringMatching(`[0-9]{1,19}(\.[0-9]{1,19})?|0\.0{1,9}|[1-9]0{1,9}`).Draw(t, "number")
		short, err := money.ReadDecimal(sign + number)
		require.NoError(t, err)
		long, err := money.ReadDecimal(sign + strings.Repeat("0", 20) + number)
		require.NoError(t, err)
		require.Equal(t, long, short)
	})
}
