package lifecycle_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/internal/testkit/orders"
)

// A capture may fail after it was booked, and an authorisation may be canceled. Then a separate transaction returns the
// money, and the next invoice collects it. If a part was refunded, it needs review.
func TestRecord_SuccessThatIsTakenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move       payment.Move
		about, ref string
		outcome    answer.Outcome
		refunded   money.Minor
		booked     bool
		review     string
	}{
		"the capture failed": {payment.MoveBelieve, "", "pi_1", answer.Failed, 0, true, ""},
		"canceled after all": {payment.MoveBelieve, "", "pi_1", answer.Canceled, 0, true, ""},
		"a look-up says so":  {payment.MoveLookup, "", "pi_1", answer.Canceled, 0, true, ""},
		"after a refund": {
			payment.MoveBelieve, "", "pi_1", answer.Failed, 1, false, payment.ReviewNotCaptured,
		},
		"of another operation":    {payment.MoveLookup, "pi_2", "pi_2", answer.Failed, 0, false, ""},
		"of an unnamed one":       {payment.MoveLookup, "", "", answer.Failed, 0, false, ""},
		"it found another one":    {payment.MoveLookup, "", "pi_2", answer.Failed, 0, false, ""},
		"a slow answer to a send": {payment.MoveReplay, "", "pi_1", answer.Declined, 0, false, ""},
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		txn := l.charges()[0]
		txn.ProviderRef, txn.AmountRefunded = "pi_1", c.refunded
		result := recording.Result{
			Transaction: txn, Move: c.move, Asked: true, About: c.about, Protocol: protocol,
			Answer: answer.Answer{Outcome: c.outcome, Ref: c.ref, FailureCode: "DECLINED", FailureReason: "it failed"},
		}
		before := l.load(false).state
		state, recorded, changes, err := recording.Record(before, result, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, payment.Success, recorded.Transaction.Status, name)
		require.Empty(t, recorded.Transaction.FailureCode+recorded.Transaction.FailureReason, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, c.booked || c.review != "", len(changes.Events) > 0, name)
		require.Equal(t, c.booked, len(changes.NewTransactions) > 0, name)
		if !c.booked {
			continue
		}
		back := changes.NewTransactions[0]
		require.Equal(t, [3]any{payment.Refunded, txn.Amount, txn.ID}, [3]any{back.Status, back.Amount, back.ChargeID}, name)
		require.Zero(t, recorded.Transaction.Captured().Refundable(), name)
		require.Equal(t, before.Balance-txn.Amount, state.Balance, "%s: it is owed", name)
		result.Transaction, result.Refunds = recorded.Transaction, []payment.Transaction{back}
		_, recorded, changes, err = recording.Record(state, result, l.moment())
		require.NoError(t, err, name)
		require.Empty(t, changes.NewTransactions, "%s: said again", name)
		require.Empty(t, changes.Credit, name)
		require.Empty(t, recorded.NeedsReview, name)
	}
}

// If absence is never proven, look-ups without a result end in review.
func TestRecord_LookUpsInVain(t *testing.T) {
	t.Parallel()
	endless := payment.Protocol{Window: time.Hour, LookupByKey: true, LookupByRef: true}
	for name, c := range map[string]struct {
		after   time.Duration
		ref     string
		outcome answer.Outcome
		review  string
	}{
		"not yet":            {24 * time.Hour, "", answer.NotFound, ""},
		"nothing is found":   {25 * time.Hour, "", answer.NotFound, payment.ReviewOutcomeUnknown},
		"nothing is sure":    {25 * time.Hour, "", answer.Unknown, payment.ReviewOutcomeUnknown},
		"it exists, is open": {25 * time.Hour, "pi_1", answer.Pending, ""},
	} {
		l := begun(t, settings)
		l.send(l.live("").ID)
		txn := l.live("")
		txn.ProviderRef = c.ref
		l.moveTo(l.now.Add(c.after))
		_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: *txn, Move: payment.MoveLookup, Protocol: endless, Answer: answer.Answer{Outcome: c.outcome},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, c.review == "", recorded.Transaction.ParkedAt.IsZero(), name)
	}
}

// The provider does not know the reference of a callback: that does not prove that the transaction never arrived, and
// the callback must not be retried for ever.
func TestRecord_NameOfACallbackThatIsNobodys(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.send(l.live("").ID)
	for range 3 {
		l.moveTo(l.now.Add(protocol.Window + protocol.AbsenceGap))
		_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: *l.live(""), Move: payment.MoveLookup, Asked: true, Hint: "foreign", Protocol: protocol,
			Answer: answer.Answer{Outcome: answer.NotFound},
		}, l.moment())
		require.NoError(t, err)
		require.Equal(t, payment.Pending, recorded.Transaction.Status)
		require.Zero(t, recorded.Transaction.NotFoundCount)
		require.Equal(t, []string{"foreign"}, recorded.LookedAt)
		*l.live("") = recorded.Transaction
	}
}

// Messages about a refund may come in any order: a returned refund never succeeds later.
func TestRecord_RefundCameBackBeforeItWentThrough(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move    payment.Move
		known   string // the refund's reference
		ref     string // in the message
		decided time.Time
		want    payment.Status
	}{
		"by messages":                   {payment.MoveBelieve, "re_1", "re_1", time.Time{}, payment.Failed},
		"a look-up knows better":        {payment.MoveLookup, "re_1", "re_1", time.Time{}, payment.Refunded},
		"a person had said that it had": {payment.MoveBelieve, "re_1", "re_1", time.Unix(1, 0), payment.Refunded},
		"of another one":                {payment.MoveBelieve, "re_1", "re_2", time.Time{}, payment.Refunded},
		"the message names none":        {payment.MoveBelieve, "re_1", "", time.Time{}, payment.Refunded},
		"neither has a name":            {payment.MoveBelieve, "", "", time.Time{}, payment.Refunded},
	} {
		l := begun(t, settings)
		l.result(answer.Succeeded)
		charge, refund, err := l.charges()[0].Captured().Refund("txn_r", 400, l.now, l.real)
		require.NoError(t, err)
		refund.Status, refund.ProviderRef, refund.Review.At = payment.Failed, c.known, c.decided
		charge = charge.Captured().FailRefund(400)
		_, recorded, _, err := recording.Record(lifecycle.State{Customer: l.store.customer}, recording.Result{
			Transaction: refund, Charge: &charge, Move: c.move, Protocol: protocol,
			Answer: answer.Answer{Outcome: answer.Succeeded, Ref: c.ref, Amount: 400, Currency: charge.Currency},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.want, recorded.Transaction.Status, name)
	}
}

// A restored database has sent one refund twice, and the provider has two operations with its key. Both were taken and
// failed later, and their messages come in any order, with either reference in the row. Neither returned the money, so
// the books owe it, or it needs review. It needs none where both failures are known before any success arrives.
func TestRecord_TwoOperationsOfARefundFailed(t *testing.T) {
	t.Parallel()
	said := []answer.Answer{
		{Outcome: answer.Succeeded, Ref: "re_1"}, {Outcome: answer.Failed, Ref: "re_1"},
		{Outcome: answer.Succeeded, Ref: "re_2"}, {Outcome: answer.Failed, Ref: "re_2"},
	}
	for _, known := range []string{"", "re_1", "re_2"} {
		for _, order := range orders.Of(len(said)) {
			l := begun(t, settings)
			l.result(answer.Succeeded)
			charge, refund, err := l.charges()[0].Captured().Refund("txn_r", 400, l.now, l.real)
			require.NoError(t, err)
			refund.ProviderRef = known
			var failed []string // in the messages so far
			for _, which := range order {
				message := said[which]
				if message.Outcome == answer.Failed {
					failed = append(failed, message.Ref)
				}
				_, recorded, changes, err := recording.Record(lifecycle.State{Customer: l.store.customer}, recording.Result{
					Transaction: refund, Charge: &charge, Move: payment.MoveBelieve, Failed: failed, Protocol: protocol,
					Answer: message,
				}, l.moment())
				require.NoError(t, err)
				refund = recorded.Transaction
				for _, t := range changes.Transactions {
					if t.ID == charge.ID {
						charge = t
					}
				}
			}
			asked := !refund.Review.At.IsZero()
			owed := [2]money.Minor{charge.AmountRefunded, charge.RefundOwed} == [2]money.Minor{0, 400}
			require.True(t, owed || asked, "known %q, order %v: %s, refunded %d, owed %d",
				known, order, refund.Status, charge.AmountRefunded, charge.RefundOwed)
			at := func(message int) int { return slices.Index(order, message) }
			if at(1) < at(0) && at(3) < at(2) {
				require.Equal(t, [2]any{payment.Failed, false}, [2]any{refund.Status, asked}, "known %q, order %v", known, order)
			}
		}
	}
}

// The capture counts also if later moves of its money cannot be read; callbacks about these stay open.
func TestRecord_CaptureWithoutWhatBecameOfIt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.send(l.live("").ID)
	_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
		Transaction: *l.live(""), Move: payment.MoveLookup, Asked: true, Protocol: protocol,
		Answer: answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1", SinceUnread: true},
	}, l.moment())
	require.NoError(t, err)
	require.Equal(t, payment.Success, recorded.Transaction.Status)
	require.Empty(t, recorded.LookedAt)
}

// A message about a refund that does not prove the capture books the refund of a known capture.
func TestRecord_RefundByAMessageThatProvesNoCapture(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	txn := l.charges()[0]
	_, recorded, changes, err := recording.Record(l.load(false).state, recording.Result{
		Transaction: txn, Move: payment.MoveBelieve, Asked: true, Protocol: protocol,
		Answer: answer.Answer{
			Outcome: answer.Pending, Ref: txn.ProviderRef, Refunds: []answer.Refund{{Ref: "re_1", Amount: 300}},
		},
	}, l.moment())
	require.NoError(t, err)
	require.Equal(t, payment.Success, recorded.Transaction.Status)
	require.Len(t, changes.NewTransactions, 1)
	require.EqualValues(t, 300, recorded.Transaction.AmountRefunded)
	require.Equal(t, txn.Checks, recorded.Transaction.Checks)
}

// The books have a charge as canceled before its send: two accounts took it all the same, but denied it.
func TestRecord_TwoCapturesOfAnUnsentCharge(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	txn := l.charges()[0]
	l.cancelNow(false)
	l.record(txn.ID, answer.Answer{Outcome: answer.Canceled}, nil)
	took := func(ref string) recording.Recorded {
		return l.record(txn.ID, answer.Answer{
			Outcome: answer.Succeeded, Ref: ref, Amount: txn.Amount, Currency: txn.Currency,
		}, nil)
	}
	require.Empty(t, took("one").NeedsReview)
	require.Empty(t, took("one").NeedsReview)
	require.Equal(t, payment.ReviewSecondCapture, took("two").NeedsReview)
}
