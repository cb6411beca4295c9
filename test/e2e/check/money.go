package check

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/test/e2e/world"
)

// books has the movements of one transaction in the provider's ledger.
type books struct{ captured, refunded, disputed int64 }

// account is whose money it is: each app's, in each currency.
type account struct{ environment, currency string }

// money compares the provider's ledger with the rows: no attempt is captured twice, every invoice is paid by one
// capture that was kept, and the sums agree for every app in every currency.
func money(t testing.TB, w *world.World) {
	t.Helper()
	byTransaction := map[string]*books{}
	byIntent := map[string]string{}
	provider, ours := map[account]int64{}, map[account]int64{}
	environments := environmentOf(t, w)
	add := func(m core.Movement, transaction string, amount int64) {
		of := environments[transaction]
		require.NotEmpty(t, of, "the ledger moves money of a transaction that no row has: %+v", m)
		provider[account{of, m.Currency}] += amount
	}
	ledger := w.Simulator.Ledger(t)
	for _, m := range ledger {
		switch m.Kind {
		case "capture":
			b := byTransaction[m.TransactionID]
			if b == nil {
				b = &books{}
				byTransaction[m.TransactionID] = b
			}
			b.captured += m.Amount
			byIntent[m.Charge] = m.TransactionID
			add(m, m.TransactionID, m.Amount)
		case "refund", "refund_returned":
			amount := m.Amount
			if m.Kind == "refund_returned" {
				amount = -amount
			}
			charge := byTransaction[byIntent[m.Charge]]
			require.NotNil(t, charge, "the ledger refunds what it never captured: %+v", m)
			charge.refunded += amount
			add(m, byIntent[m.Charge], -amount)
		case "dispute_withdrawn", "dispute_reinstated":
			amount := m.Amount
			if m.Kind == "dispute_reinstated" {
				amount = -amount
			}
			charge := byTransaction[byIntent[m.Charge]]
			require.NotNil(t, charge, "the ledger disputes what it never captured: %+v", m)
			charge.disputed += amount
			add(m, byIntent[m.Charge], -amount)
		}
	}
	require.Empty(t, world.CapturedTwice(ledger), "transactions whose money was taken more than once")
	for id, b := range byTransaction {
		require.LessOrEqual(t, b.refunded, b.captured, "transaction %s was refunded more than it captured", id)
	}

	rows, err := w.Pool.Query(t.Context(), `
		select t.id, coalesce(t.recovered_from, t.id), t.type, t.amount, t.environment_id, t.currency,
		       coalesce(t.invoice_id, ''), exists (select from settlements s where s.transaction_id = t.id)
		from transactions t where t.status in ('success', 'refunded') and t.returned_at is null`)
	require.NoError(t, err)
	defer rows.Close()
	known, keptFor := map[string]bool{}, map[string]int{}
	for rows.Next() {
		var id, ledgerID, kind, invoice string
		var of account
		var amount int64
		var settles bool
		require.NoError(t, rows.Scan(&id, &ledgerID, &kind, &amount, &of.environment, &of.currency, &invoice, &settles))
		if kind == "refund" {
			ours[of] -= amount
			continue
		}
		ours[of] += amount
		b := byTransaction[ledgerID]
		require.NotNil(t, b, "transaction %s is a success and the provider knows nothing of it", id)
		require.Equal(t, amount, b.captured, "transaction %s", id)
		known[ledgerID] = true
		if invoice == "" {
			continue
		}
		if settles {
			keptFor[invoice]++
		} else {
			require.Equal(t, b.captured, b.refunded+b.disputed,
				"transaction %s does not count for its invoice and was not given back", id)
		}
	}
	require.NoError(t, rows.Err())
	for id := range byTransaction {
		require.True(t, known[id], "the provider captured transaction %s and it is no success here", id)
	}
	for invoice, n := range keptFor {
		require.Equal(t, 1, n, "invoice %s", invoice)
	}
	require.Equal(t, provider, ours, "captures less refunds, by app and currency")
	require.Empty(t, column(t, w, `select id from invoices i where status = 'paid' and amount_due > 0
		and not exists (select from settlements s where s.invoice_id = i.id and s.transaction_id is not null)`), "paid without money")
}

// environmentOf is the environment of every transaction, and with it the app: a test has one of each app.
func environmentOf(t testing.TB, w *world.World) map[string]string {
	t.Helper()
	out := map[string]string{}
	rows, err := w.Pool.Query(t.Context(), "select id, environment_id from transactions")
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var id, environment string
		require.NoError(t, rows.Scan(&id, &environment))
		out[id] = environment
	}
	require.NoError(t, rows.Err())
	return out
}
