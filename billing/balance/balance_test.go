package balance_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/balance"
	"perennial/billing/money"
)

var now = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

func day(n int) time.Time { return now.AddDate(0, 0, n) }

func TestTake_Order(t *testing.T) {
	t.Parallel()
	grants := []balance.Grant{
		{ID: "young", Priority: 50, GivenAt: day(-1), Left: 10},
		{ID: "old", Priority: 50, GivenAt: day(-9), Left: 10},
		{ID: "expiring", Priority: 50, GivenAt: day(-1), ExpiresAt: day(9), Left: 10},
		{ID: "expiring soon", Priority: 50, GivenAt: day(-1), ExpiresAt: day(1), Left: 10},
		{ID: "first", Priority: 1, GivenAt: day(-1), Left: 10},
		{ID: "expired", Priority: 1, GivenAt: day(-9), ExpiresAt: now, Left: 10},
		{ID: "empty", Priority: 0, GivenAt: day(-9)},
	}
	require.Equal(t, balance.Uses{
		{"first", 10}, {"expiring soon", 10}, {"expiring", 10}, {"old", 10}, {"young", 5},
	}, balance.Take(grants, 45, now))
	require.Equal(t, balance.Uses{{"first", 3}}, balance.Take(grants, 3, now))
	require.Empty(t, balance.Take(grants, 0, now))
	require.Empty(t, balance.Take(grants, -5, now))
}

// TestTake_Conserves: the uses sum to the amount or to all there is, no grant is used twice, and the order of the list
// does not matter.
func TestTake_Conserves(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		grants := make([]balance.Grant, rapid.IntRange(0, 8).Draw(t, "grants"))
		var usable money.Minor
		left := map[string]money.Minor{}
		for i := range grants {
			grants[i] = balance.Grant{
				ID: string(rune('a' + i)), Priority: rapid.IntRange(0, 2).Draw(t, "priority"),
				GivenAt: day(-rapid.IntRange(0, 3).Draw(t, "age")), Left: money.Minor(rapid.Int64Range(0, 50).Draw(t, "left")),
			}
			if rapid.Bool().Draw(t, "expires") {
				grants[i].ExpiresAt = day(rapid.IntRange(-1, 2).Draw(t, "expiry"))
			}
			if grants[i].ExpiresAt.IsZero() || grants[i].ExpiresAt.After(now) {
				usable += grants[i].Left
				left[grants[i].ID] = grants[i].Left
			}
		}
		amount := money.Minor(rapid.Int64Range(0, 300).Draw(t, "amount"))
		uses := balance.Take(grants, amount, now)
		var taken money.Minor
		for _, use := range uses {
			require.Positive(t, use.Amount)
			require.LessOrEqual(t, use.Amount, left[use.ID])
			delete(left, use.ID)
			taken += use.Amount
		}
		require.Equal(t, min(amount, usable), taken)
		require.Equal(t, uses, balance.Take(rapid.Permutation(grants).Draw(t, "other order"), amount, now))
	})
}
