package money_test

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

func TestRoundTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in     string
		digits int32
		how    money.Rounding
		want   string
	}{
		{"123.456", 0, money.RoundHalfUp, "123"},
		{"123.456", 2, money.RoundHalfUp, "123.46"},
		{"123.456", -2, money.RoundHalfUp, "100"},
		{"150", -2, money.RoundHalfUp, "200"},
		{"-0.5", 0, money.RoundHalfUp, "-1"},
		{"123.451", 1, money.RoundUp, "123.5"},
		{"-123.451", 1, money.RoundUp, "-123.5"},
		{"123.459", 1, money.RoundDown, "123.4"},
		{"1", -2, money.RoundUp, "100"},
		{"0", 3, money.RoundUp, "0"},
	} {
		d, err := money.ParseDecimal(c.in)
		require.NoError(t, err)
		require.Equal(t, c.want, d.RoundTo(c.digits, c.how).String(), c)
	}
}

// A quotient is the exact one, rounded once.
func TestQuo_IsExactToItsDigits(t *testing.T) {
	t.Parallel()
	half := big.NewRat(1, 2)
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Int64Range(-1_000_000_000, 1_000_000_000).Draw(t, "a")
		b := rapid.Int64Range(1, 100_000).Draw(t, "b")
		got := money.Whole(a).Quo(money.Whole(b))
		scale := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(money.QuotientDigits), nil))
		off := new(big.Rat).Sub(new(big.Rat).Mul(big.NewRat(a, b), scale), new(big.Rat).Mul(got.Rat(), scale))
		require.LessOrEqual(t, off.Abs(off).Cmp(half), 0)
		read, err := money.ReadDecimal(got.String())
		require.NoError(t, err)
		require.Zero(t, read.Cmp(got))
	})
}
