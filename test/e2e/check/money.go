package check

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/simulator/core"
	"perennial/test/e2e/world"
)

// books are what one transaction moved by the provider's ledger.
type books struct{ captured, refunded, disputed int64 }

// CapturedTwice are the transactions whose money the provider took more than once, under whatever key.
func CapturedTwice(ledger []core.Movement) []string {
	times := map[string]int{}
	for _, m := range ledger {
		if m.Kind == "capture" {
			times[m.TransactionID]++
		}
	}
	var twice []string
	for id, n := range times {
		if n > 1 {
			twice = append(twice, id)
		}
	}
	slices.Sort(twice)
	return twice
}

// money compares the provider's ledger with the rows: no attempt is captured twice, every invoice is paid by one
// capture that was kept, and the sums agree in every currency.
func money(t testing.TB, w *world.World) {
	t.Helper()
	byTransaction := map[string]*books{}
	byIntent := map[string]string{}
	provider, ours := map[string]int64{}, map[string]int64{}
	for _, m := range w.Simulator.Ledger(t) {
		switch m.Kind {
		case "capture":
			b := byTransaction[m.TransactionID]
			if b == nil {
				b = &books{}
				byTransaction[m.TransactionID] = b
			}
			b.captured += m.Amount
			byIntent[m.Charge] = m.TransactionID
			provider[m.Currency] += m.Amount
		case "refund", "refund_returned":
			amount := m.Amount
			if m.Kind == "refund_returned" {
				amount = -amount
			}
			charge := byTransaction[byIntent[m.Charge]]
			require.NotNil(t, charge, "the ledger refunds what it never captured: %+v", m)
			charge.refunded += amount
			provider[m.Currency] -= amount
		case "dispute_withdrawn", "dispute_reinstated":
			amount := m.Amount
			if m.Kind == "dispute_reinstated" {
				amount = -amount
			}
			charge := byTransaction[byIntent[m.Charge]]
			require.NotNil(t, charge, "the ledger disputes what it never captured: %+v", m)
			charge.disputed += amount
			provider[m.Currency] -= amount
		}
	}
	require.Empty(t, CapturedTwice(w.Simulator.Ledger(t)), "transactions whose money was taken more than once")
	for id, b := range byTransaction {
		require.LessOrEqual(t, b.refunded, b.captured, "transaction %s was refunded more than it captured", id)
	}

	rows, err := w.Pool.Query(t.Context(), `
		select t.id, coalesce(t.recovered_from, t.id), t.type, t.status, t.amount, t.currency, coalesce(t.invoice_id, ''),
		       exists (select from settlements s where s.transaction_id = t.id)
		from transactions t where t.status in ('success', 'refunded') and t.returned_at is null`)
	require.NoError(t, err)
	defer rows.Close()
	known, keptFor := map[string]bool{}, map[string]int{}
	for rows.Next() {
		var id, ledgerID, kind, status, currency, invoice string
		var amount int64
		var settles bool
		require.NoError(t, rows.Scan(&id, &ledgerID, &kind, &status, &amount, &currency, &invoice, &settles))
		if kind == "refund" {
			ours[currency] -= amount
			continue
		}
		ours[currency] += amount
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
	require.Equal(t, provider, ours, "captures less refunds, by currency")
	require.Empty(t, column(t, w, `select id from invoices i where status = 'paid' and amount_due > 0
		and not exists (select from settlements s where s.invoice_id = i.id and s.transaction_id is not null)`), "paid without money")
}
