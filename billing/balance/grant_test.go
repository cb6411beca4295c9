package balance_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/balance"
	"perennial/billing/fault"
	"perennial/billing/money"
)

func TestGrant_Check(t *testing.T) {
	t.Parallel()
	for code, g := range map[string]balance.Grant{
		"": {
			Amount: money.MaxMinor, Priority: balance.MaxPriority, PlanIDs: make([]string, balance.MaxPlans), ExpiresAt: day(1),
		},
		"amount_too_small":            {},
		"amount_too_large":            {Amount: money.MaxMinor + 1},
		"priority_invalid":            {Amount: 1, Priority: balance.MaxPriority + 1},
		"credit_grant_plans_too_many": {Amount: 1, PlanIDs: make([]string, balance.MaxPlans+1)},
		"expires_at_past":             {Amount: 1, ExpiresAt: now},
	} {
		g.GivenAt = now
		err := g.Check()
		if code == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, code, fault.From(err).Code)
	}
}

func TestLeft(t *testing.T) {
	t.Parallel()
	require.Equal(t, money.Minor(17), balance.Left([]balance.Grant{{Amount: 20, Left: 10}, {Amount: 7, Left: 7}}))
}

func TestGrant_StatusByTime(t *testing.T) {
	t.Parallel()
	g := balance.Grant{Amount: 10, Left: 10, GivenAt: now, ExpiresAt: day(5)}
	require.Equal(t, balance.Active, g.Status(day(4)))
	require.Equal(t, balance.Expired, g.Status(day(5)), "also before what is left is taken away")

	_, taken := g.End(day(5).Add(-time.Nanosecond))
	require.Zero(t, taken)
	ended, taken := g.End(day(6))
	require.Equal(t, money.Minor(10), taken)
	require.Equal(t, day(6), ended.ExpiredAt)
	_, taken = ended.End(day(7))
	require.Zero(t, taken, "once")
	_, _, err := ended.Void(day(7))
	require.ErrorIs(t, err, balance.ErrExpired)

	voided, taken, err := g.Void(day(2))
	require.NoError(t, err)
	require.Equal(t, money.Minor(10), taken)
	require.Equal(t, balance.Voided, voided.Status(day(9)))
	_, _, err = voided.Void(day(3))
	require.ErrorIs(t, err, balance.ErrVoided)
	voided.Left = 4 // of an invoice that was voided later
	require.Empty(t, balance.Take([]balance.Grant{voided}, 4, day(3)))
	again, taken := voided.End(day(3))
	require.Equal(t, money.Minor(4), taken)
	require.Zero(t, again.ExpiredAt)

	g.Left = 0
	require.Equal(t, balance.Depleted, g.Status(day(9)), "it had nothing left when it expired")
}

func TestFor_Plans(t *testing.T) {
	t.Parallel()
	grants := []balance.Grant{{ID: "any"}, {ID: "pro", PlanIDs: []string{"plan_1", "plan_2"}}}
	require.Equal(t, grants, balance.For(grants, "plan_2"))
	require.Equal(t, grants[:1], balance.For(grants, "plan_3"))
	require.Equal(t, grants[:1], balance.For(grants, ""), "of no subscription")
	require.Nil(t, balance.For(nil, "plan_1"))
}

// TestBack_GivesEachUseBackOnce: however the returned amount is divided, in the end each grant has back the amount that
// was used of it.
func TestBack_GivesEachUseBackOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var uses balance.Uses
		want := map[string]money.Minor{}
		for i := range rapid.IntRange(1, 4).Draw(t, "uses") {
			use := balance.Use{ID: string(rune('a' + i)), Amount: money.Minor(rapid.Int64Range(1, 50).Draw(t, "amount"))}
			uses, want[use.ID] = append(uses, use), use.Amount
		}
		var before balance.Uses
		for before.Sum() < uses.Sum() {
			amount := money.Minor(rapid.Int64Range(1, 60).Draw(t, "back"))
			back := uses.Back(amount, before)
			require.Equal(t, min(amount, uses.Sum()-before.Sum()), back.Sum())
			if last := uses[len(uses)-1]; len(before) == 0 && amount <= last.Amount {
				require.Equal(t, balance.Uses{{ID: last.ID, Amount: amount}}, back, "the last used first")
			}
			before = append(before, back...)
			for id, used := range want {
				require.LessOrEqual(t, before.Of(id), used)
			}
		}
		for id, used := range want {
			require.Equal(t, used, before.Of(id))
		}
	})
}
