package money_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

func TestAllocate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		total   money.Minor
		weights []int64
		want    []money.Minor
	}{
		{"even", 9, []int64{1, 1, 1}, []money.Minor{3, 3, 3}},
		{"the earlier first", 10, []int64{1, 1, 1}, []money.Minor{4, 3, 3}},
		{"the larger remainder first", 10, []int64{6, 6, 1}, []money.Minor{5, 4, 1}},
		{"negative", -10, []int64{1, 1, 1}, []money.Minor{-4, -3, -3}},
		{"a zero gets nothing", 5, []int64{0, 1, 1}, []money.Minor{0, 3, 2}},
		{"a negative counts as zero", 5, []int64{-7, 1, 1}, []money.Minor{0, 3, 2}},
		{"all zero count the same", 5, []int64{0, 0}, []money.Minor{3, 2}},
		{"one", 5, []int64{9}, []money.Minor{5}},
		{"none", 5, nil, nil},
		{"nothing to share", 0, []int64{1, 2}, []money.Minor{0, 0}},
		{"huge weights", 3, []int64{math.MaxInt64, math.MaxInt64}, []money.Minor{2, 1}},
		{"smallest amount", math.MinInt64, []int64{1, 1}, []money.Minor{math.MinInt64 / 2, math.MinInt64 / 2}},
	} {
		require.Equal(t, c.want, money.Allocate(c.total, c.weights), c.name)
	}
}

func TestAllocate_KeepsOrderOfEqualWeights(t *testing.T) {
	t.Parallel()
	weights := make([]int64, 100)
	for i, share := range money.Allocate(50, weights) {
		want := money.Minor(0)
		if i < 50 {
			want = 1
		}
		require.Equal(t, want, share, "share %d", i)
	}
}

func TestAllocate_LeavesArgumentUnchanged(t *testing.T) {
	t.Parallel()
	weights := []int64{-1, 0}
	money.Allocate(3, weights)
	require.Equal(t, []int64{-1, 0}, weights)
}

func TestAllocate_SumsToWholeAndIsFair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := anyMinor().Draw(t, "total")
		weights := rapid.SliceOfN(rapid.OneOf(rapid.Int64Range(-2, 20), rapid.Int64()), 1, 20).Draw(t, "weights")
		sum, weight := new(big.Int), new(big.Int)
		shares := money.Allocate(total, weights)
		require.Len(t, shares, len(weights))
		for i, share := range shares {
			sum.Add(sum, big.NewInt(int64(share)))
			weight.Add(weight, big.NewInt(max(weights[i], 0)))
		}
		require.Equal(t, int64(total), sum.Int64())
		if weight.Sign() == 0 {
			return
		}
		for i, share := range shares {
			exact := new(big.Rat).SetFrac(
				new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(max(weights[i], 0))), weight)
			off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(int64(share)))
			require.Negative(t, off.Abs(off).Cmp(big.NewRat(1, 1)), "a share is less than one unit from exact")
		}
	})
}
