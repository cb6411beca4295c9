package payment_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
)

func TestTransaction_RefundedElsewhere(t *testing.T) {
	t.Parallel()
	pending, through := payment.Transaction{Status: payment.Pending}, payment.Transaction{Status: payment.Refunded}
	unnamed := payment.Transaction{Status: payment.Pending, Amount: 400, FirstSentAt: t0}
	for name, c := range map[string]struct {
		reserved, owed, seen money.Minor
		booked               payment.Transaction
		fit                  payment.Fit
		refunded, stillOwed  money.Minor
	}{
		"the first":                   {0, 0, 400, through, payment.FitsIn, 400, 0},
		"beside ours":                 {400, 0, 600, pending, payment.FitsIn, 1000, 0},
		"what is owed":                {0, 400, 700, through, payment.FitsIn, 700, 300},
		"beside what is owed":         {0, 400, 600, through, payment.FitsIn, 600, 400},
		"ours in flight will fail":    {500, 0, 900, pending, payment.FitLater, 500, 0},
		"it may be ours":              {400, 0, 400, unnamed, payment.FitLater, 400, 0},
		"it is not as much as ours":   {400, 0, 300, unnamed, payment.FitsIn, 700, 0},
		"more went back than came in": {500, 0, 900, through, payment.FitTwice, 1000, 0},
	} {
		charge := captured(1000)
		charge.AmountRefunded, charge.RefundOwed = c.reserved, c.owed
		seen := answer.Refund{Ref: "re_1", Amount: c.seen}
		after, refund, fit := charge.Captured().RefundedElsewhere("txn_2", seen, []payment.Transaction{c.booked}, t0)
		require.Equal(t, c.fit, fit, name)
		require.Equal(t, c.refunded, after.AmountRefunded, name)
		require.Equal(t, c.stillOwed, after.RefundOwed, name)
		if fit == payment.FitLater {
			require.Equal(t, charge, after, name)
			continue
		}
		require.Equal(t, [2]any{c.seen, "re_1"}, [2]any{refund.Amount, refund.ProviderRef}, name)
		require.Equal(t, payment.Refunded, refund.Status, name)
	}
	seen := answer.Refund{Ref: "re_1", Amount: 1, Pending: true}
	_, refund, _ := captured(1000).Captured().RefundedElsewhere("txn_2", seen, nil, t0)
	require.Equal(t, payment.Pending, refund.Status)
	require.True(t, refund.CompletedAt.IsZero())
}

func TestUnbooked(t *testing.T) {
	t.Parallel()
	booked := []payment.Transaction{{ID: "txn_ours"}, {ID: "txn_dashboard", ProviderRef: "re_known"}}
	seen := []answer.Refund{
		{Ref: "re_1", TransactionID: "txn_ours"}, {Ref: "re_known"}, {Ref: "re_new"},
		{Ref: "re_lost", TransactionID: "txn_lost"},
	}
	require.Equal(t, seen[2:], payment.Unbooked(seen, booked))
}

// A refund was sent again after the provider had forgotten its key, although its first send had arrived.
func TestUnbooked_TwoUnderOneID(t *testing.T) {
	t.Parallel()
	first := answer.Refund{Ref: "re_1", TransactionID: "txn_ours", Amount: 5}
	second := answer.Refund{Ref: "re_2", TransactionID: "txn_ours", Amount: 5}
	for name, c := range map[string]struct {
		booked payment.Transaction
		want   answer.Refund
	}{
		"its reference is not known": {payment.Transaction{ID: "txn_ours"}, second},
		"it is known by the first":   {payment.Transaction{ID: "txn_ours", ProviderRef: "re_1"}, second},
		"it is known by the second":  {payment.Transaction{ID: "txn_ours", ProviderRef: "re_2"}, first},
	} {
		booked := []payment.Transaction{c.booked}
		left := payment.Unbooked([]answer.Refund{first, second}, booked)
		require.Equal(t, []answer.Refund{c.want}, left, name)
		require.True(t, payment.MadeAgain(left[0], booked), name)
		booked = append(booked, payment.Transaction{ID: "txn_derived", ProviderRef: c.want.Ref})
		require.Empty(t, payment.Unbooked([]answer.Refund{first, second}, booked), "%s: booked", name)
	}
}

func TestGoneBack(t *testing.T) {
	t.Parallel()
	refunds := []payment.Transaction{
		{ID: "a", Status: payment.Refunded, Amount: 1}, {ID: "b", Status: payment.Refunded, Amount: 2, ReturnedAt: t0},
		{ID: "c", Status: payment.Pending, Amount: 4}, {ID: "d", Status: payment.Failed, Amount: 8},
		{ID: "e", Status: payment.Refunded, Amount: 16}, {ID: "f", Status: payment.Refunded, Amount: 32},
	}
	require.Equal(t, money.Minor(17), payment.GoneBack(refunds, payment.Disputes{{WithdrawalID: "f"}}))
}

// A restored database may have lost a refund whose id the provider still has: that id is true, though no row has it. One
// that another row has was copied.
func TestWithTrueIDs(t *testing.T) {
	t.Parallel()
	booked := []payment.Transaction{{ID: "txn_booked"}}
	seen := []answer.Refund{
		{Ref: "re_1", TransactionID: "txn_booked"}, {Ref: "re_2", TransactionID: "txn_booked"}, {Ref: "re_3"},
		{Ref: "re_4", TransactionID: "txn_lost"}, {Ref: "re_5", TransactionID: "txn_charge"},
		{Ref: "re_6", TransactionID: "txn_charge"}, {Ref: "re_7", TransactionID: "order 7", Failed: true},
	}
	require.Equal(t, []string{"txn_lost", "txn_charge", "order 7"}, payment.UncheckedIDs(seen, booked))
	require.Equal(t, []string{"txn_booked", "txn_lost", "txn_charge", "order 7"}, payment.UncheckedIDs(seen, nil))
	ids := func(seen []answer.Refund) (ids []string) {
		for i, s := range seen {
			require.Equal(t, fmt.Sprint("re_", i+1), s.Ref)
			ids = append(ids, s.TransactionID)
		}
		return ids
	}
	given := ids(seen)
	require.Equal(t, []string{"txn_booked", "txn_booked", "", "txn_lost", "", "", ""},
		ids(payment.WithTrueIDs(seen, booked, []string{"txn_lost"})))
	require.Equal(t, []string{"txn_booked", "txn_booked", "", "", "", "", ""}, ids(payment.WithTrueIDs(seen, booked, nil)))
	require.Equal(t, given, ids(seen), "the answer stays as it is")
}
