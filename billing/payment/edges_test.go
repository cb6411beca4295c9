package payment_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
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
		txn, _ = asking.AsksPayer(txn, page, t0)
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
	txn, _ := completing.AsksPayer(asked(t, completing), "", t0)
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
		{Dispute: answer.Dispute{Ref: "du_1", State: answer.DisputeLost, Withdrawn: 500}, WithdrawalID: "txn_w"},
		{Dispute: answer.Dispute{Ref: "du_2", State: answer.DisputeWon, Withdrawn: 100}, WithdrawalID: "txn_x"},
		{Dispute: answer.Dispute{Ref: "du_3", State: answer.DisputeLost, Withdrawn: 100}},
	}
	require.Equal(t, money.Minor(200), charge.Captured().Relieved().RefundOwed)
}

func TestTransaction_DisputeOrder(t *testing.T) {
	t.Parallel()
	known := payment.Dispute{ID: "dsp_1", OpenedAt: t0, Dispute: answer.Dispute{
		Ref: "D1", State: answer.DisputeOpen, Amount: 1000, Currency: "EUR", Order: 4,
	}}
	for order, want := range map[int]bool{0: true, 3: false, 4: true, 5: true} { // 0: the present state, from a look-up
		charge := captured(1000)
		charge.Disputes = payment.Disputes{known}
		seen := known.Dispute
		seen.Order, seen.EvidenceDueAt = order, t0.AddDate(0, 0, 7)
		_, change := charge.Captured().Dispute("dsp_2", seen, t0)
		require.Equal(t, want, change.Noted, "order %d", order)
	}
}

func TestTransaction_DisputeGivesBack(t *testing.T) {
	t.Parallel()
	charge := captured(1000)
	charge.Disputes = payment.Disputes{{
		ID: "dsp_1", WithdrawalID: "txn_w", Withdrawals: 1,
		Dispute: answer.Dispute{Ref: "D1", State: answer.DisputeOpen, Currency: "EUR", Withdrawn: 700},
	}}
	charge, change := charge.Captured().Dispute("dsp_2",
		answer.Dispute{Ref: "D1", State: answer.DisputeWon, Currency: "EUR"}, t0)
	require.Equal(t, "txn_w", change.Returned)
	require.False(t, change.Unbookable, "nothing is withdrawn")
	charge, change = charge.Captured().Dispute("dsp_2", answer.Dispute{
		Ref: "D1", State: answer.DisputeLost, Currency: "EUR", Withdrawn: 700,
	}, t0)
	charge, _ = charge.Captured().Withdraw("txn_v", change.Dispute, t0)
	require.Equal(t, 2, charge.Disputes[0].Withdrawals)
}

func TestCameBack(t *testing.T) {
	t.Parallel()
	booked := []payment.Transaction{{ID: "txn_a", ProviderRef: "re_a"}, {ID: "txn_b"}}
	for name, c := range map[string]struct {
		seen answer.Refund
		want string // its id; empty: none
	}{
		"by our id":             {answer.Refund{Ref: "re_x", TransactionID: "txn_b", Failed: true}, "txn_b"},
		"by its reference":      {answer.Refund{Ref: "re_a", Failed: true}, "txn_a"},
		"of neither":            {answer.Refund{Ref: "re_x", TransactionID: "txn_x", Failed: true}, ""},
		"without any name":      {answer.Refund{Failed: true}, ""},
		"it went through after": {answer.Refund{Ref: "re_a"}, ""},
	} {
		got := payment.CameBack(c.seen, booked)
		require.Equal(t, c.want != "", got != nil, name)
		if got != nil {
			require.Equal(t, c.want, got.ID, name)
		}
	}
	require.False(t, payment.MadeAgain(answer.Refund{TransactionID: "txn_x"}, booked), "under the id of another")
	require.True(t, payment.MadeAgain(answer.Refund{TransactionID: "txn_b"}, booked))
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
		after, _, fit := charge.Captured().RefundedElsewhere("txn_2", answer.Refund{Ref: "re_1", Amount: 400},
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
		_, patient := protocol.Unsearched(txn, "No answer.", 0, payment.Hold{}, t0, t0.Add(c.since))
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

// A key may be repeated for as long as the provider remembers it, or, where absence can be proven sooner, until then.
func TestNext_RepeatsUntilAbsenceCounts(t *testing.T) {
	t.Parallel()
	sent := due()
	sent.FirstSentAt, sent.SendNumber, sent.Checks = t0, 1, 1
	for name, c := range map[string]struct {
		protocol payment.Protocol
		last     time.Duration
	}{
		"absence is never proven":   {payment.Protocol{LookupByKey: true}, 20 * time.Hour},
		"absence counts in an hour": {payment.Protocol{LookupByKey: true, AbsenceAfter: time.Hour}, time.Hour},
		"no look-up without a name": {payment.Protocol{AbsenceAfter: time.Hour}, 20 * time.Hour},
	} {
		c.protocol.Window = 20 * time.Hour
		require.Equal(t, payment.MoveReplay, c.protocol.Next(sent, false, t0.Add(c.last-1)), name)
		require.NotEqual(t, payment.MoveReplay, c.protocol.Next(sent, false, t0.Add(c.last)), name)
	}
}

func TestInVain_OnlyWhilePending(t *testing.T) {
	t.Parallel()
	p, late := payment.Protocol{LookupByKey: true}, t0.AddDate(1, 0, 0)
	sent := due()
	require.False(t, p.InVain(sent, late), "not sent")
	sent.FirstSentAt = t0
	require.True(t, p.InVain(sent, late))
	sent.Status = payment.Failed
	require.False(t, p.InVain(sent, late))
}

// A callback may carry the name that a lost response had: it is kept where the provider can be asked in either way.
func TestAttend_KeepsTheName(t *testing.T) {
	t.Parallel()
	sent := due()
	sent.FirstSentAt = t0
	for name, c := range map[string]struct {
		protocol payment.Protocol
		want     string
	}{
		"by its key":  {payment.Protocol{LookupByKey: true}, "pi_1"},
		"by its name": {payment.Protocol{LookupByRef: true}, "pi_1"},
		"not at all":  {payment.Protocol{}, ""},
	} {
		got, _, _ := c.protocol.Attend(sent, false, payment.Callbacks{Ref: "pi_1"}, t0)
		require.Equal(t, c.want, got.ProviderRef, name)
	}
}

func TestReturned_OnlyOfARefundThatWentThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		txn  payment.Transaction
		want bool
	}{
		"a refund":         {payment.Transaction{Type: payment.Refund, Status: payment.Refunded}, true},
		"a pending refund": {payment.Transaction{Type: payment.Refund, Status: payment.Pending}, false},
		"a charge":         {payment.Transaction{Type: payment.Charge, Status: payment.Refunded}, false},
		"one that is back": {payment.Transaction{Type: payment.Refund, Status: payment.Refunded, ReturnedAt: t0}, false},
	} {
		_, news := c.txn.Returned("", "The account is closed.", t0)
		require.Equal(t, c.want, news, name)
	}
}

// Of 1000, 600 were refunded and 400 are owed. A bank that holds 100 leaves 300.
func TestPayOwed_NoMoreThanTheBankLeaves(t *testing.T) {
	t.Parallel()
	charge := captured(1000)
	charge.AmountRefunded, charge.RefundOwed = 600, 400
	_, owed, err := charge.Captured().PayOwed()
	require.NoError(t, err)
	require.Equal(t, money.Minor(400), owed)
	charge.Disputes = payment.Disputes{{
		Dispute: answer.Dispute{Ref: "du_1", State: answer.DisputeOpen, Withdrawn: 100}, WithdrawalID: "txn_w",
	}}
	_, _, err = charge.Captured().PayOwed()
	require.ErrorContains(t, err, "refund_disputed")
}

// A refund of 100 went through after all, when 900 of 1000 had been refunded again: 950 and the 50 owed are all of it.
func TestReserve_NoMoreThanWasCaptured(t *testing.T) {
	t.Parallel()
	charge := captured(1000)
	charge.AmountRefunded, charge.RefundOwed = 900, 50
	charge, owed := charge.Captured().Reserve(100)
	require.False(t, owed)
	require.Equal(t, [2]money.Minor{950, 50}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed})
}

func TestReviewed_AboutTheSame(t *testing.T) {
	t.Parallel()
	decided := payment.Transaction{Review: payment.Review{Reason: payment.ReviewSecondCapture, Ref: "pi_2", At: t0}}
	require.True(t, decided.Reviewed(payment.ReviewSecondCapture, "pi_2"))
	require.False(t, decided.Reviewed(payment.ReviewSecondCapture, "pi_3"))
	require.False(t, decided.Reviewed(payment.ReviewRefundedTwice, "pi_2"))
	decided.Review.At = time.Time{}
	require.False(t, decided.Reviewed(payment.ReviewSecondCapture, "pi_2"), "still open")
}

func TestFinding(t *testing.T) {
	t.Parallel()
	require.Contains(t, payment.DecideReturned.Finding(), "returned outside Perennial")
	require.Contains(t, payment.DecideFailed.Finding(), "no money moved")
}

// An earlier send is asked about by the name that a callback carries, or else by its own.
func TestSendAsk(t *testing.T) {
	t.Parallel()
	byName := payment.Protocol{LookupByRef: true}
	require.Equal(t, payment.MoveLookup, payment.Send{}.Ask(byName, payment.Callbacks{Ref: "pi_1"}))
	require.Equal(t, payment.MoveLookup, payment.Send{ProviderRef: "pi_1"}.Ask(byName, payment.Callbacks{}))
	require.Equal(t, payment.MoveBelieve, payment.Send{}.Ask(byName, payment.Callbacks{Evidence: true}))
	require.Equal(t, payment.MoveAwait, payment.Send{}.Ask(byName, payment.Callbacks{}))
}

// A provider that gives back in tens gives the whole charge back, whatever that is.
func TestExpressible(t *testing.T) {
	t.Parallel()
	charge := captured(1005)
	charge.Granularity = 10
	for amount, want := range map[money.Minor]money.Minor{1005: 1005, 1004: 1000, 10: 10, 9: 0} {
		require.Equal(t, want, charge.Captured().Expressible(amount), amount)
	}
}

func TestReserve_WhatWasOwed(t *testing.T) {
	t.Parallel()
	charge := captured(1000)
	charge.AmountRefunded, charge.RefundOwed = 300, 100
	require.Equal(t, money.Minor(600), charge.Captured().Refundable())
	charge, owed := charge.Captured().Reserve(100)
	require.True(t, owed)
	require.Equal(t, [2]money.Minor{400, 0}, [2]money.Minor{charge.AmountRefunded, charge.RefundOwed})
}
