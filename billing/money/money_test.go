package money_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/fault"
	"perennial/billing/money"
)

// requireFault checks the stable part of a refusal.
func requireFault(t require.TestingT, err error, code, param string) {
	require.Error(t, err)
	f := fault.From(err)
	require.Equal(t, []string{string(fault.Invalid), code, param}, []string{string(f.Kind), f.Code, f.Param}, err)
}

// anyMinor draws small amounts, the limits and everything an int64 holds. Like every generator here it is made anew by
// each test, because rapid's are not safe to share between parallel ones.
func anyMinor() *rapid.Generator[money.Minor] {
	return rapid.OneOf(
		rapid.Custom(func(t *rapid.T) money.Minor { return money.Minor(rapid.Int64Range(-2000, 2000).Draw(t, "small")) }),
		rapid.SampledFrom([]money.Minor{
			money.MaxMinor, money.MaxMinor - 1, -money.MaxMinor, money.MaxMinor + 1, math.MaxInt64, math.MinInt64,
			math.MinInt64 + 1,
		}),
		rapid.Custom(func(t *rapid.T) money.Minor { return money.Minor(rapid.Int64().Draw(t, "any")) }),
	)
}

// requireExact holds a result against the exact one: equal where that is allowed, refused where it is not.
func requireExact(t *rapid.T, exact *big.Int, got money.Minor, err error) {
	if exact.CmpAbs(big.NewInt(int64(money.MaxMinor))) > 0 {
		requireFault(t, err, "amount_too_large", "")
		require.Zero(t, got)
		return
	}
	require.NoError(t, err)
	require.Equal(t, exact.Int64(), int64(got))
}

func TestSum(t *testing.T) {
	t.Parallel()
	total, err := money.Sum()
	require.NoError(t, err)
	require.Zero(t, total)

	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.SliceOf(anyMinor()).Draw(t, "ms")
		exact := new(big.Int)
		for _, m := range ms {
			exact.Add(exact, big.NewInt(int64(m)))
		}
		got, err := money.Sum(ms...)
		requireExact(t, exact, got, err)
	})
}

func TestMinorCheck(t *testing.T) {
	t.Parallel()
	require.NoError(t, money.MaxMinor.Check())
	require.NoError(t, (-money.MaxMinor).Check())
	requireFault(t, (money.MaxMinor + 1).Check(), "amount_too_large", "")
	requireFault(t, money.Minor(math.MinInt64).Check(), "amount_too_large", "")
}
