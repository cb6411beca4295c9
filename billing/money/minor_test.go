package money_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
)

func TestParseMinor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		currency money.Currency
		want     string
	}{
		{"450", "USD", "4.5"}, {"0.35", "EUR", "0.0035"}, {"333", "XAF", "333"}, {"1250.5", "BHD", "1.2505"},
		{"0", "USD", "0"}, {"-1", "USD", "-0.01"}, {"0.0000000001", "USD", "0.000000000001"},
	} {
		got, err := money.ParseMinor(c.text, c.currency)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, got.String(), c.text)
		require.Equal(t, c.text, got.InMinor(c.currency).String(), c.text)
	}
	for _, text := range []string{"", "much", "0.00000000001", strings.Repeat("9", 15)} {
		_, err := money.ParseMinor(text, "USD")
		require.Equal(t, "decimal_invalid", fault.From(err).Code, text)
	}
	require.Equal(t, "0.35", money.ShownInMinor("0.0035", "EUR"))
	require.Empty(t, money.ShownInMinor("", "EUR"))
	require.Equal(t, money.Decimal{}, money.Decimal{}.InMinor("USD"), "none stays none")
}

// Each number that ParseDecimal reads can be shown in minor units and read again, and the other way round.
func TestParseMinor_IsTheReverseOfInMinor(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		c := rapid.SampledFrom([]money.Currency{"USD", "XAF", "BHD"}).Draw(r, "currency")
		major, err := money.ParseDecimal(rapid.StringMatching(`-?[0-9]{1,12}(\.[0-9]{1,12})?`).Draw(r, "major"))
		require.NoError(r, err)
		back, err := money.ParseMinor(major.InMinor(c).String(), c)
		require.NoError(r, err)
		require.Equal(r, major.String(), back.String())
		stored, err := money.ParseDecimal(back.String())
		require.NoError(r, err)
		require.Equal(r, major, stored)
	})
}
