package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/event"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// While a payer is asked, the provider is asked after a minute, five, thirty, two hours, and then every six.
func TestAsksPayer_WaitsBetweenLookUps(t *testing.T) {
	t.Parallel()
	for checks, wait := range []time.Duration{
		time.Minute, time.Minute, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 6 * time.Hour, 6 * time.Hour,
	} {
		txn := asked(t, asking)
		txn.Checks = checks
		txn, _ = txn.AsksPayer(asking, page, t0)
		require.Equal(t, t0.Add(wait), txn.NextCheckAt, "after %d checks", checks)
	}
}

func TestConfirmationOfReturn_TenSecondsLater(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	returned := back(t, asked(t, asking), "", now)
	require.Equal(t, payment.ConfirmMissing, returned.ConfirmationOfReturn(false, now.Add(10*time.Second)))
}

func TestWaitsForPayer(t *testing.T) {
	t.Parallel()
	require.True(t, asked(t, asking).WaitsForPayer())
	require.False(t, sentWithToken().WaitsForPayer(), "pending, and nobody was asked")
	done := asked(t, asking)
	done.Status = payment.Success
	require.False(t, done.WaitsForPayer())
}

// The provider has no page for the payer any more, so it needs nothing that the payer brings.
func TestPayerReturned_WithoutAPage(t *testing.T) {
	t.Parallel()
	txn, _ := asked(t, completing).AsksPayer(completing, "", t0)
	require.Empty(t, back(t, txn, brought, t0.Add(time.Hour)).Action.Brought)
}

func TestRestored_ChargeWithoutAPayer(t *testing.T) {
	t.Parallel()
	require.Zero(t, sentWithToken().Restored(t0.Add(time.Hour)).Action.HandedAt)
}

// Of 1000, 300 were refunded and 500 taken by a lost dispute: 200 of the 700 owed are left.
func TestRelieved_OwesWhatNobodyHas(t *testing.T) {
	t.Parallel()
	charge := captured(1000)
	charge.AmountRefunded, charge.RefundOwed = 300, 700
	charge.Disputes = payment.Disputes{
		{Ref: "du_1", State: payment.DisputeLost, Withdrawn: 500, WithdrawalID: "txn_w"},
		{Ref: "du_2", State: payment.DisputeWon, Withdrawn: 100, WithdrawalID: "txn_x"},
		{Ref: "du_3", State: payment.DisputeLost, Withdrawn: 100},
	}
	require.Equal(t, money.Minor(200), charge.Relieved().RefundOwed)
}

func TestTransaction_DisputeOrder(t *testing.T) {
	t.Parallel()
	known := payment.Dispute{
		ID: "dsp_1", Ref: "D1", State: payment.DisputeOpen, Amount: 1000, Currency: "EUR", Order: 4, OpenedAt: t0,
	}
	for order, want := range map[int]bool{0: true, 3: false, 4: true, 5: true} { // 0: the present state, from a look-up
		charge := captured(1000)
		charge.Disputes = payment.Disputes{known}
		seen := known
		seen.Order, seen.EvidenceDueAt = order, t0.AddDate(0, 0, 7)
		_, change := charge.Dispute("dsp_2", seen, t0)
		require.Equal(t, want, change.Noted, "order %d", order)
	}
}

func TestTransaction_DisputeGivesBack(t *testing.T) {
	t.Parallel()
	charge := captured(1000)
	charge.Disputes = payment.Disputes{{
		ID: "dsp_1", Ref: "D1", State: payment.DisputeOpen, Currency: "EUR", Withdrawn: 700, WithdrawalID: "txn_w", Withdrawals: 1,
	}}
	charge, change := charge.Dispute("dsp_2", payment.Dispute{Ref: "D1", State: payment.DisputeWon, Currency: "EUR"}, t0)
	require.Equal(t, "txn_w", change.Returned)
	require.False(t, change.Unbookable, "nothing is withdrawn")
	charge, change = charge.Dispute("dsp_2", payment.Dispute{
		Ref: "D1", State: payment.DisputeLost, Currency: "EUR", Withdrawn: 700,
	}, t0)
	charge, _ = charge.Withdraw("txn_v", change.Dispute, t0)
	require.Equal(t, 2, charge.Disputes[0].Withdrawals)
}

func TestSeenRefund_CameBack(t *testing.T) {
	t.Parallel()
	booked := []payment.Transaction{{ID: "txn_a", ProviderRef: "re_a"}, {ID: "txn_b"}}
	for name, c := range map[string]struct {
		seen payment.SeenRefund
		want string // its id; empty: none
	}{
		"by our id":             {payment.SeenRefund{Ref: "re_x", TransactionID: "txn_b", Failed: true}, "txn_b"},
		"by its reference":      {payment.SeenRefund{Ref: "re_a", Failed: true}, "txn_a"},
		"of neither":            {payment.SeenRefund{Ref: "re_x", TransactionID: "txn_x", Failed: true}, ""},
		"without any name":      {payment.SeenRefund{Failed: true}, ""},
		"it went through after": {payment.SeenRefund{Ref: "re_a"}, ""},
	} {
		got := c.seen.CameBack(booked)
		require.Equal(t, c.want != "", got != nil, name)
		if got != nil {
			require.Equal(t, c.want, got.ID, name)
		}
	}
	require.False(t, payment.SeenRefund{TransactionID: "txn_x"}.Again(booked), "under the id of another")
	require.True(t, payment.SeenRefund{TransactionID: "txn_b"}.Again(booked))
}

// A refund without our id is none of ours in flight whose reference is known, or that was not sent.
func TestRefundedElsewhere_BesideOursInFlight(t *testing.T) {
	t.Parallel()
	for name, ours := range map[string]payment.Transaction{
		"known by its reference": {Status: payment.Pending, Amount: 400, FirstSentAt: t0, ProviderRef: "re_0"},
		"not sent":               {Status: payment.Pending, Amount: 400},
		"decided":                {Status: payment.Failed, Amount: 400, FirstSentAt: t0},
	} {
		charge := captured(1000)
		charge.AmountRefunded = 400
		after, _, fit := charge.RefundedElsewhere("txn_2", payment.SeenRefund{Ref: "re_1", Amount: 400},
			[]payment.Transaction{ours}, t0)
		require.Equal(t, payment.FitsIn, fit, name)
		require.Equal(t, money.Minor(800), after.AmountRefunded, name)
	}
}

func TestBeginning(t *testing.T) {
	t.Parallel()
	require.IsType(t, event.PaymentPending{}, due().Beginning())
	failed := due()
	failed.Status = payment.Failed
	require.IsType(t, event.PaymentFailed{}, failed.Beginning())
}

func TestNamed_IsNeitherHeldNorLookedFor(t *testing.T) {
	t.Parallel()
	held, sought := due(), due()
	held.HeldBack, sought.FailureReason = payment.Hold{ByStop: true}, "Providers are asked."
	require.Equal(t, due(), held.Named())
	require.Equal(t, due(), sought.Named())
}

// A person must find out after a day and thirty checks, whichever is later.
func TestUnsearched_Patience(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		checks int // before this one
		since  time.Duration
		want   bool
	}{
		"the thirtieth check, late":      {29, 2 * day, true},
		"one more":                       {30, 2 * day, false},
		"many checks, just before a day": {100, day - 1, true},
		"many checks, a day":             {100, day, false},
	} {
		txn := due()
		txn.Checks, txn.FirstSentAt = c.checks, t0
		_, patient := txn.Unsearched(protocol, "No answer.", 0, payment.Hold{}, t0, t0.Add(c.since))
		require.Equal(t, c.want, patient, name)
	}
}

func TestShows_NothingOfWhatHasNoNameOrIsInReview(t *testing.T) {
	t.Parallel()
	require.Empty(t, due().Shows(), "no name at the provider")
	parked := captured(1000)
	require.NotEmpty(t, parked.Shows())
	parked.ParkedAt = t0
	require.Empty(t, parked.Shows())
}

// A charge that waits for its first send expects no answer: its provider says something of another send.
func TestNotice_ChargeThatWasNotSent(t *testing.T) {
	t.Parallel()
	txn := due()
	txn.NextCheckAt = t0.Add(time.Hour)
	require.Equal(t, payment.NoticeLook, txn.Notice(payment.Message{Kind: payment.MessageSucceeded}, 0, t0))
	txn.FirstSentAt = t0
	require.Equal(t, payment.NoticeAwait, txn.Notice(payment.Message{Kind: payment.MessageSucceeded}, 0, t0))
	txn.Status = payment.Failed
	require.Equal(t, payment.NoticeLook, txn.Notice(payment.Message{Kind: payment.MessageSucceeded}, 0, t0))
}
