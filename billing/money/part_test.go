package money_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/money"
)

func TestPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                   string
		total                  money.Minor
		from, to, length, want int64
	}{
		{"the whole", 1000, 0, 30, 30, 1000},
		{"a third", 1000, 0, 10, 30, 333},
		{"the middle third takes the odd unit", 1000, 10, 20, 30, 334},
		{"the last third", 1000, 20, 30, 30, 333},
		{"half away from zero", 1, 0, 1, 2, 1},
		{"what the first half left", 1, 1, 2, 2, 0},
		{"half away from zero, negative", -1, 0, 1, 2, -1},
		{"nothing", 1000, 10, 10, 30, 0},
		{"backwards", 1000, 20, 10, 30, 0},
		{"before the start", 1000, -20, 15, 30, 500},
		{"wholly before", 1000, -20, -10, 30, 0},
		{"beyond the end", 1000, 15, 40, 30, 500},
		{"wholly beyond", 1000, 31, 40, 30, 0},
		{"no length", 1000, 0, 0, 0, 1000},
		{"negative length", 1000, 3, 4, -5, 1000},
		{"largest", math.MaxInt64, 0, math.MaxInt64, math.MaxInt64, math.MaxInt64},
		{"largest, half", math.MaxInt64, 0, math.MaxInt64 / 2, math.MaxInt64, math.MaxInt64 / 2},
		{"smallest", math.MinInt64, math.MinInt64, math.MaxInt64, math.MaxInt64, math.MinInt64},
	} {
		require.Equal(t, money.Minor(c.want), money.Part(c.total, c.from, c.to, c.length), c.name)
	}
}

func TestPart_PartitionSumsToWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := anyMinor().Draw(t, "total")
		length := rapid.OneOf(rapid.Int64Range(1, 100), rapid.Int64Range(1, math.MaxInt64)).Draw(t, "length")
		cuts := append(rapid.SliceOf(rapid.Int64Range(0, length)).Draw(t, "cuts"), 0, length)
		slices.Sort(cuts)
		sum := new(big.Int)
		for i := range len(cuts) - 1 {
			part := money.Part(total, cuts[i], cuts[i+1], length)
			sum.Add(sum, big.NewInt(int64(part)))
			exact := new(big.Rat).SetFrac(
				new(big.Int).Mul(big.NewInt(int64(total)), big.NewInt(cuts[i+1]-cuts[i])), big.NewInt(length))
			off := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(int64(part)))
			require.LessOrEqual(t, off.Abs(off).Cmp(big.NewRat(1, 1)), 0, "a part is within one unit of its share")
		}
		require.Equal(t, int64(total), sum.Int64())
	})
}

func TestPart_GrowsWithTime(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := money.Minor(rapid.Int64Range(0, int64(money.MaxMinor)).Draw(t, "total"))
		length := rapid.Int64Range(1, 1<<40).Draw(t, "length")
		shorter := rapid.Int64Range(0, length).Draw(t, "shorter")
		longer := rapid.Int64Range(shorter, length).Draw(t, "longer")
		require.LessOrEqual(t, money.Part(total, 0, shorter, length), money.Part(total, 0, longer, length))
	})
}
