package reconciliation_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/reconciliation"
)

var at = time.Date(2026, 11, 5, 0, 0, 0, 0, time.UTC)

func charge() *payment.Transaction {
	return &payment.Transaction{
		ID: "txn_1", Type: payment.Charge, Status: payment.Success, Amount: 1000, Currency: "EUR", ProviderRef: "pi_1", CompletedAt: at,
	}
}

func refund(ref string) *payment.Transaction {
	return &payment.Transaction{
		ID: "txn_2", Type: payment.Refund, Status: payment.Refunded, Amount: 1000, Currency: "EUR", ProviderRef: ref, CompletedAt: at,
		ChargeID: "txn_1",
	}
}

// Every lie that a file, or a row here, can tell has its own code.
func TestCompare(t *testing.T) {
	t.Parallel()
	pending, disputed, back, returned := charge(), charge(), refund("re_1"), refund("re_1")
	pending.Status = payment.Pending
	disputed.Disputes = payment.Disputes{{ID: "dsp_1", Dispute: answer.Dispute{Ref: "du_1", Amount: 1000}}}
	returned.ReturnedAt = at
	failed := refund("re_1")
	failed.Status = payment.Failed
	withdrawal, won := *refund(""), *refund("")
	won.ReturnedAt = at
	entry := func(kind reconciliation.Kind) reconciliation.Entry {
		return reconciliation.Entry{Line: 2, Kind: kind, Reference: "x_1", Amount: 1000, Currency: "EUR"}
	}
	other := func(e reconciliation.Entry, change func(*reconciliation.Entry)) reconciliation.Entry {
		change(&e)
		return e
	}
	for name, c := range map[string]struct {
		entry     reconciliation.Entry
		found     reconciliation.Found
		code      reconciliation.Code // empty: no difference
		accounted string
	}{
		"a charge":          {entry(reconciliation.Charge), reconciliation.Found{Charge: charge()}, "", "txn_1"},
		"an unknown charge": {entry(reconciliation.Charge), reconciliation.Found{}, "charge_not_with_us", ""},
		"another amount": {
			other(entry(reconciliation.Charge), func(e *reconciliation.Entry) { e.Amount = 999 }),
			reconciliation.Found{Charge: charge()}, "amount_differs", "txn_1",
		},
		"another currency": {
			other(entry(reconciliation.Charge), func(e *reconciliation.Entry) { e.Currency = "USD" }),
			reconciliation.Found{Charge: charge()}, "currency_differs", "txn_1",
		},
		"a pending charge":  {entry(reconciliation.Charge), reconciliation.Found{Charge: pending}, "status_differs", "txn_1"},
		"a refund":          {entry(reconciliation.Refund), reconciliation.Found{Refund: back}, "", "txn_2"},
		"an unknown refund": {entry(reconciliation.Refund), reconciliation.Found{Charge: charge()}, "refund_not_with_us", ""},
		"a refund that failed here": {
			entry(reconciliation.Refund), reconciliation.Found{Refund: failed}, "status_differs", "txn_2",
		},
		"a returned refund": {entry(reconciliation.RefundReturned), reconciliation.Found{Refund: returned}, "", "txn_2"},
		"a refund that came back there": {
			entry(reconciliation.RefundReturned), reconciliation.Found{Refund: back}, "refund_not_returned_with_us", "txn_2",
		},
		"a dispute": {
			entry(reconciliation.Dispute),
			reconciliation.Found{Charge: disputed, Refunds: []payment.Transaction{withdrawal}}, "", "txn_2",
		},
		"a dispute of an unknown charge": {entry(reconciliation.Dispute), reconciliation.Found{}, "dispute_not_with_us", ""},
		"an unknown dispute": {
			entry(reconciliation.Dispute), reconciliation.Found{Charge: charge()}, "dispute_not_with_us", "",
		},
		"another disputed amount": {
			other(entry(reconciliation.Dispute), func(e *reconciliation.Entry) { e.Amount = 7 }),
			reconciliation.Found{Charge: disputed, Refunds: []payment.Transaction{withdrawal}}, "amount_differs", "",
		},
		"a dispute that was won": {
			entry(reconciliation.DisputeReversed),
			reconciliation.Found{Charge: disputed, Refunds: []payment.Transaction{won}}, "", "txn_2",
		},
		"a dispute that was won there": {
			entry(reconciliation.DisputeReversed),
			reconciliation.Found{Charge: disputed, Refunds: []payment.Transaction{withdrawal}}, "refund_not_returned_with_us",
			"txn_2",
		},
		"a charge that was not captured": {
			entry(reconciliation.ChargeReversed),
			reconciliation.Found{Charge: charge(), Refunds: []payment.Transaction{withdrawal}}, "", "txn_2",
		},
		"a charge that was taken back there": {
			entry(reconciliation.ChargeReversed), reconciliation.Found{Charge: charge()}, "charge_reversed_by_provider", "",
		},
		"a fee that is kept in silence": {
			other(entry(reconciliation.Charge), func(e *reconciliation.Entry) {
				e.Summed, e.Gross, e.Fee, e.Net = true, 1000, 30, 960
			}),
			reconciliation.Found{Charge: charge()}, "fee_differs", "txn_1",
		},
		"a fee":           {entry(reconciliation.Fee), reconciliation.Found{}, "", ""},
		"a payout":        {entry(reconciliation.Other), reconciliation.Found{}, "", ""},
		"an unknown type": {entry(reconciliation.Unknown), reconciliation.Found{}, "not_understood", ""},
		"an unreadable row": {
			reconciliation.Entry{Problem: "no amount"}, reconciliation.Found{}, "not_understood", "",
		},
	} {
		differences, accounted := reconciliation.Compare(c.entry, c.found)
		if c.code == "" {
			require.Empty(t, differences, name)
		} else {
			require.Len(t, differences, 1, name)
			require.Equal(t, c.code, differences[0].Code, name)
			require.NotEmpty(t, differences[0].Detail, name)
		}
		if c.accounted == "" {
			require.Empty(t, accounted, name)
		} else {
			require.Equal(t, []string{c.accounted}, accounted, name)
		}
	}
}

// Of several refunds over the same amount, each entry accounts for one of its own, in whatever order the file has them.
func TestCompare_SameAmounts(t *testing.T) {
	t.Parallel()
	disputed, first, second := charge(), *refund(""), *refund("")
	disputed.Disputes = payment.Disputes{{ID: "dsp_1"}, {ID: "dsp_2"}}
	second.ID, second.ReturnedAt = "txn_3", at
	taken := reconciliation.Entry{Kind: reconciliation.Dispute, Amount: 1000, Currency: "EUR"}
	back, reversed := taken, taken
	back.Kind, reversed.Kind = reconciliation.DisputeReversed, reconciliation.ChargeReversed
	for _, c := range []struct{ entries, want string }{
		{"tt", "txn_2 txn_3"}, {"btt", "txn_3+ txn_2 txn_3"}, {"ttb", "txn_2 txn_3 txn_3+"}, {"tr", "txn_2 txn_3"},
		{"ttt", "txn_2 txn_3 txn_2!"}, {"bb", "txn_3+ txn_2+?"},
	} {
		seen, got := map[string]bool{}, []string{}
		for _, of := range c.entries {
			e := map[rune]reconciliation.Entry{'t': taken, 'b': back, 'r': reversed}[of]
			differences, accounted := reconciliation.Compare(e, reconciliation.Found{
				Charge: disputed, Refunds: []payment.Transaction{first, second},
				Accounted: func(key string) bool { return seen[key] },
			})
			require.Len(t, accounted, 1, c.entries)
			key := e.Accounts(accounted[0])
			said := key
			if seen[key] {
				said += "!"
			}
			for range differences {
				said += "?"
			}
			seen[key], got = true, append(got, said)
		}
		require.Equal(t, c.want, strings.Join(got, " "), c.entries)
	}
}

func TestAbsent(t *testing.T) {
	t.Parallel()
	for code, txn := range map[reconciliation.Code]*payment.Transaction{
		reconciliation.ChargeNotInFile: charge(), reconciliation.RefundNotInFile: refund("re_1"),
		reconciliation.DisputeNotInFile: refund(""),
	} {
		d := reconciliation.Absent(*txn, at)
		require.Equal(t, code, d.Code)
		require.Equal(t, reconciliation.Amount{Amount: 1000, Currency: "EUR"}, d.Ours)
	}
	d := reconciliation.Repeated(reconciliation.Entry{Line: 3, Reference: "pi_1"}, charge())
	require.Equal(t, []any{reconciliation.Twice, 3, "txn_1"}, []any{d.Code, d.Line, d.PaymentID})
}

func TestSummary(t *testing.T) {
	t.Parallel()
	var s reconciliation.Summary
	for kind, amount := range map[reconciliation.Kind]money.Minor{
		reconciliation.Charge: 1000, reconciliation.ChargeReversed: 100, reconciliation.Refund: 300,
		reconciliation.RefundReturned: 50, reconciliation.Dispute: 200, reconciliation.DisputeReversed: 20,
		reconciliation.Fee: 7, reconciliation.Other: 9999,
	} {
		e := reconciliation.Entry{Kind: kind, Amount: amount, Currency: "EUR", SettledCurrency: "EUR"}
		if kind == reconciliation.Charge {
			e.Fee = 30
		}
		s.Entry(e)
	}
	s.Entry(reconciliation.Entry{Kind: reconciliation.Fee, Amount: -2, Currency: "EUR"}) // given back
	s.Entry(reconciliation.Entry{Problem: "unreadable"})
	s.Add(reconciliation.Difference{Code: reconciliation.Twice})
	require.Equal(t, 10, s.Entries)
	require.Equal(t, &reconciliation.Sums{Charged: 900, Refunded: 250, Disputed: 180, Fees: 35}, s.Sums["EUR"])
	require.Equal(t, []reconciliation.Code{reconciliation.Twice}, s.Codes())
}
