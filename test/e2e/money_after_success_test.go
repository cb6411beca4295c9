package e2e

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/test/e2e/check"
	"perennial/test/e2e/world"
)

// TestMoneyAfterSuccess: people refund at the provider's dashboard and banks decide disputes; Perennial gets callbacks
// of it only, each twice. In the end its books are the provider's ledger.
func TestMoneyAfterSuccess(t *testing.T) {
	t.Parallel()
	w := world.New(t, world.Config{})
	w.Service.Start(t)
	env := w.Environments[0]
	ctx, cancel := context.WithTimeout(t.Context(), settled)
	defer cancel()
	customer, err := env.Create(ctx, "/api/customers", card("pm_card_visa"))
	require.NoError(t, err)

	type shown struct {
		Status          string
		Reference       string `json:"providerReference"`
		AmountRefunded  int64
		AmountWithdrawn int64
		Disputed        bool
		Disputes        []struct{ Reference, Status string }
	}
	read := func(id string) (p shown) {
		require.NoError(t, env.Get(ctx, "/api/payments/"+id, &p))
		return p
	}
	until := func(id, what string, holds func(shown) bool) {
		t.Helper()
		for p := read(id); !holds(p); p = read(id) {
			require.NoError(t, ctx.Err(), "%s: %+v", what, p)
			time.Sleep(100 * time.Millisecond)
		}
	}
	charges := make([]string, 3)
	for i := range charges {
		charges[i], err = env.Create(ctx, "/api/payments",
			world.Object{"customerId": customer, "amount": 1000, "currency": "EUR"})
		require.NoError(t, err)
		until(charges[i], "captured", func(p shown) bool { return p.Status == "success" })
	}

	for i, id := range charges {
		w.Simulator.Refund(t, read(id).Reference, 100)
		w.Simulator.Refund(t, read(id).Reference, 100)
		until(id, "two refunds", func(p shown) bool { return p.AmountRefunded == 200 })
		w.Simulator.Dispute(t, read(id).Reference, 800)
		until(id, "disputed", func(p shown) bool { return p.Disputed && p.AmountWithdrawn == 800 && p.Status == "success" })
		if i == 2 {
			continue // its bank takes its time
		}
		end := []string{"won", "lost"}[i]
		w.Simulator.CloseDispute(t, read(id).Disputes[0].Reference, end)
		until(id, end, func(p shown) bool { return !p.Disputed && p.Disputes[0].Status == end })
	}

	check.AtRest(t, w, settled)
	check.Sound(t, w)
	require.Equal(t, int64(0), read(charges[0]).AmountWithdrawn)
	require.Equal(t, int64(800), read(charges[1]).AmountWithdrawn)
	var said []string
	rows, err := w.Pool.Query(ctx, "select type || ' ' || (data ->> 'status') from events where type like 'dispute.%'")
	require.NoError(t, err)
	for rows.Next() {
		var one string
		require.NoError(t, rows.Scan(&one))
		said = append(said, one)
	}
	require.NoError(t, rows.Err())
	slices.Sort(said)
	require.Equal(t, []string{
		"dispute.closed lost", "dispute.closed won", "dispute.created open", "dispute.created open", "dispute.created open",
	}, slices.DeleteFunc(said, func(s string) bool { return s == "dispute.updated open" })) // the money may come later
}
