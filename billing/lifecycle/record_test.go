package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/collection"
	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/billing/subscription"
)

// charges lists the charges, oldest first.
func (l *life) charges() []payment.Transaction { return l.ofType(payment.Charge) }
func (l *life) refunds() []payment.Transaction { return l.ofType(payment.Refund) }

// lastEvent returns the data of the last event.
func (l *life) lastEvent() event.Data { return l.store.events[len(l.store.events)-1].Data }

func (l *life) ofType(typ payment.Type) []payment.Transaction {
	var out []payment.Transaction
	for _, t := range l.store.transactions {
		if t.Type == typ {
			out = append(out, t)
		}
	}
	return out
}

func TestRecord_SuccessOfASupersededAttempt(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Declined)
	l.toNext(0)
	require.Len(t, l.charges(), 2)

	l.answer(l.charges()[0].ID, answer.Succeeded) // late; the second attempt is live

	require.Equal(t, invoice.Paid, l.store.invoices[0].Status)
	require.Equal(t, l.charges()[0].ID, l.store.settled[l.store.invoices[0].ID].TransactionID)
	require.Empty(t, l.refunds())
	require.False(t, l.charges()[1].CancelRequestedAt.IsZero(), "the live attempt is superfluous")

	l.answer(l.charges()[1].ID, answer.Succeeded) // it captured before it was canceled

	require.Len(t, l.refunds(), 1)
	require.Equal(t, l.charges()[1].ID, l.refunds()[0].ChargeID)
	require.Equal(t, money.Minor(1000), l.refunds()[0].Amount)
	require.Equal(t, money.Minor(1000), l.charges()[1].AmountRefunded)
	require.Equal(t, 2, l.account.events[event.TypePaymentSuccess], "the provider's truth is announced")
}

func TestRecord_SuccessSaidTwice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	revision := l.charges()[0].Revision

	l.answer(l.charges()[0].ID, answer.Succeeded)

	require.Equal(t, revision, l.charges()[0].Revision)
	require.Empty(t, l.refunds())
	require.Equal(t, 1, l.account.events[event.TypePaymentSuccess])
}

func TestRecord_CaptureOfACanceledCharge(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.cancelNow(false)
	l.result(answer.Canceled)
	require.Equal(t, payment.Canceled, l.charges()[0].Status)
	require.False(t, l.sub().FinishedAt.IsZero())

	for range 2 { // booked once, for any number of answers
		l.answer(l.charges()[0].ID, answer.Succeeded)

		require.Len(t, l.charges(), 2)
		recovered := l.charges()[1]
		require.Equal(t, payment.Canceled, l.charges()[0].Status, "canceled is final")
		require.Equal(t, payment.Success, recovered.Status)
		require.Equal(t, l.charges()[0].ID, recovered.RecoveredFrom)
		require.Equal(t, recovered.ID, l.store.settled[l.store.invoices[0].ID].TransactionID, "it pays what it was meant for")
		require.Empty(t, l.refunds())
	}
}

func TestRecord_CaptureOfACanceledChargeOfAPaidInvoice(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Canceled)
	l.toNext(0)
	l.result(answer.Succeeded)

	l.answer(l.charges()[0].ID, answer.Succeeded)

	require.Len(t, l.refunds(), 1)
	require.Equal(t, l.charges()[2].ID, l.refunds()[0].ChargeID, "the new success is given back, not the canceled charge")
	require.Equal(t, l.charges()[2].Amount, l.charges()[2].AmountRefunded)
}

func TestRecord_SuccessOfAnotherAmount(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	l.send(id)

	for range 2 {
		recorded := l.record(id, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1", Amount: 999}, nil)

		require.Equal(t, payment.Pending, recorded.Transaction.Status)
		require.False(t, recorded.Transaction.ParkedAt.IsZero())
		require.Equal(t, "pi_1", l.charges()[0].ProviderRef, "an operator needs it")
		require.Equal(t, invoice.Open, l.store.invoices[0].Status)
		require.Equal(t, 1, l.account.events[event.TypePaymentNeedsReview], "announced once")
		require.Nil(t, l.store.load(false).Attempt(), "no workflow follows what a person must review")
	}
}

func TestRecord_RequestThatCannotBeMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent   bool
		kind   fault.Kind
		status payment.Status
		review bool
	}{
		"a first send that is invalid":   {false, fault.Invalid, payment.Failed, false},
		"a first send that conflicts":    {false, fault.Conflict, payment.Pending, true},
		"a repeat that is invalid":       {true, fault.Invalid, payment.Pending, true},
		"a repeat under another request": {true, fault.Conflict, payment.Pending, true},
	} {
		l := begun(t, settings)
		id := l.live("").ID
		if c.sent {
			l.send(id)
		}
		l.impossible(id, c.kind)
		require.Equal(t, c.status, l.charges()[0].Status, name)
		require.Equal(t, c.review, !l.charges()[0].ParkedAt.IsZero(), name)
	}
}

// A retryable fault is internal: nothing is recorded, and the caller repeats.
func TestRecord_FaultOfOurs(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	down := fault.New(fault.Unavailable, "database_away", "the database is away")
	state := l.store.load(false)

	_, _, changes, err := recording.Record(state, recording.Result{
		Transaction: state.Pending[0], Move: payment.MoveSend, Protocol: protocol, Impossible: down,
	}, l.moment())

	require.Equal(t, down, err)
	require.Equal(t, lifecycle.Changes{}, changes)
}

// A charge that its provider provably never received is sent again, and fails after the third time.
func TestRecord_AbsenceProven(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.live("").ID
	for range 3 {
		require.False(t, l.charges()[0].EverSent())
		l.send(id)
		l.moveTo(l.now.Add(protocol.Window))
		l.answer(id, answer.NotFound)
		require.Equal(t, payment.Pending, l.charges()[0].Status, "once proves nothing")
		require.True(t, l.charges()[0].EverSent())

		l.moveTo(l.now.Add(protocol.AbsenceGap))
		l.answer(id, answer.NotFound)
	}

	require.Equal(t, 3, l.charges()[0].SendNumber)
	require.Equal(t, payment.Failed, l.charges()[0].Status)
	require.Equal(t, "The provider never received this payment.", l.charges()[0].FailureReason)
	require.Equal(t, collection.Scheduled, l.store.invoices[0].Collection.Phase)
}

// Only an answered look-up for callbacks covers them.
func TestRecord_LookedAt(t *testing.T) {
	t.Parallel()
	refused := fault.New(fault.Conflict, "provider_reference_mismatch", "")
	reused := fault.New(fault.Conflict, payment.CodeKeyReused, "")
	for name, c := range map[string]struct {
		move       payment.Move
		asked      bool
		about      string
		outcome    answer.Outcome
		impossible *fault.Error
		want       []string
	}{
		"a look-up": {payment.MoveLookup, true, "", answer.Succeeded, nil,
			[]string{"", "pi_1", "pi_1"}},
		"a look-up that decides nothing": {
			payment.MoveLookup, true, "", answer.Pending, nil, []string{"", "pi_1", "pi_1"},
		},
		"of a second operation": {payment.MoveLookup, true, "pi_2", answer.Succeeded, nil, []string{"pi_2"}},
		"nobody asked":          {payment.MoveLookup, false, "", answer.Succeeded, nil, nil},
		"silence":               {payment.MoveLookup, true, "", answer.Unknown, nil, nil},
		"not found":             {payment.MoveLookup, true, "", answer.NotFound, nil, nil},
		"no second operation":   {payment.MoveLookup, true, "pi_2", answer.NotFound, nil, []string{"pi_2"}},
		"no second operation, nobody asked": {
			payment.MoveLookup, false, "pi_2", answer.NotFound, nil, nil,
		},
		"a replay":                {payment.MoveReplay, true, "", answer.Succeeded, nil, nil},
		"the key was used before": {payment.MoveReplay, true, "", "", reused, nil},
		"a person must act":       {payment.MoveReplay, true, "", "", refused, []string{"", "pi_1", ""}},
	} {
		l := begun(t, settings)
		l.send(l.live("").ID)
		txn := *l.live("")
		txn.ProviderRef = "pi_1"
		result := recording.Result{
			Transaction: txn, Move: c.move, Asked: c.asked, About: c.about, Protocol: protocol, Impossible: c.impossible,
			Answer: answer.Answer{Outcome: c.outcome},
		}
		if c.impossible == nil {
			result.Answer.Ref = "pi_1"
		}
		_, recorded, _, err := recording.Record(l.load(false).state, result, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.want, recorded.LookedAt, name)
	}
}

// lostAt changes an answer to one about a send that a restored database has lost.
func lostAt(account string) func(*recording.Result) {
	return func(r *recording.Result) {
		r.RestoredAt = r.Transaction.FirstSentAt.Add(time.Hour)
		r.Lost = &charging.Lost{Send: payment.Send{Number: 2, ProviderConfigID: account}}
	}
}

// The account of a transaction counts as silent from the first of its own sends without an answer.
func TestRecord_NotesSilenceOfTheTransactionsAccount(t *testing.T) {
	t.Parallel()
	refused := fault.New(fault.Conflict, "provider_reference_mismatch", "")
	for name, c := range map[string]struct {
		change func(*recording.Result)
		silent bool
	}{
		"no answer": {func(*recording.Result) {}, true},
		"not asked": {func(r *recording.Result) { r.Begun = time.Time{} }, false},
		"about an earlier send elsewhere": {
			func(r *recording.Result) { r.Send = &payment.Send{Number: 1, Provider: "adyen"} }, false,
		},
		"the request could not be made": {
			func(r *recording.Result) { r.Impossible, r.Answer = refused, answer.Answer{} }, false,
		},
		"about a lost send there":     {lostAt("pp_1"), true},
		"about a lost send elsewhere": {lostAt("pp_2"), false},
	} {
		l := begun(t, settings)
		l.send(l.live("").ID)
		result := recording.Result{
			Transaction: *l.live(""), Move: payment.MoveLookup, Protocol: protocol, Begun: l.real,
			Answer: answer.Answer{Outcome: answer.Unknown},
		}
		result.Transaction.ProviderConfigID, l.store.transactions[0].ProviderConfigID = "pp_1", "pp_1"
		c.change(&result)
		_, recorded, _, err := recording.Record(l.load(false).state, result, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.silent, recorded.Transaction.Silence.Since.Equal(l.real), name)
	}
}

// A period that was skipped while past due has ended when a late success recovers the subscription.
func TestRecord_AfterWhatWasDueBefore(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.failToPastDue()
	l.moveTo(l.sub().CurrentPeriod.End.Add(time.Hour)) // the boundary has passed without processing

	l.answer(l.charges()[0].ID, answer.Succeeded)

	require.Equal(t, subscription.Active, l.sub().Status)
	require.Equal(t, 2, l.sub().NextPeriod)
	require.Equal(t, invoice.Recovery, l.store.invoices[1].Reason)
	require.Equal(t, l.sub().CurrentPeriod, l.store.invoices[1].Period)
}

// The provider contradicts an end: the amount is not booked, but review gets it.
func TestRecord_CaptureOfAnotherAmountOnAClosedCharge(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Declined)
	id := l.charges()[0].ID

	for range 2 {
		l.record(id, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_2", Amount: 999}, nil)

		require.Equal(t, payment.Declined, l.charges()[0].Status)
		require.False(t, l.charges()[0].ParkedAt.IsZero())
		require.Equal(t, 1, l.account.events[event.TypePaymentNeedsReview], "announced once")
	}
	require.Equal(t, event.PaymentNeedsReview{
		Payment: l.charges()[0].Announced(), Reason: "amount_mismatch", ProviderRef: "pi_2",
	}, l.lastEvent())
}

func TestRecord_SecondCaptureOfOneTransaction(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.result(answer.Succeeded)
	id := l.charges()[0].ID
	first := l.charges()[0].ProviderRef

	for range 2 {
		l.record(id, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_2", Amount: 1000, Currency: "EUR"}, nil)

		require.Equal(t, payment.Success, l.charges()[0].Status)
		require.Equal(t, first, l.charges()[0].ProviderRef)
		require.Equal(t, 1, l.account.events[event.TypePaymentNeedsReview], "announced once")
	}
	require.Equal(t, event.PaymentNeedsReview{
		Payment: l.charges()[0].Announced(), Reason: "second_capture", ProviderRef: "pi_2",
	}, l.lastEvent())
}

// A charge that was sent twice may have been captured twice: the later known capture is refunded, once.
func TestRecord_CaptureOfAnotherSend(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	l.store.transaction(l.live("").ID).SendNumber = 1
	l.result(answer.Succeeded)
	id := l.charges()[0].ID
	require.Equal(t, 2, l.charges()[0].SendNumber)

	for range 2 {
		l.record(id, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_2", Amount: 1000, Currency: "EUR"}, nil)
	}

	require.Zero(t, l.account.events[event.TypePaymentNeedsReview])
	require.Len(t, l.charges(), 2)
	second := l.charges()[1]
	require.Equal(t, []string{id, "pi_2"}, []string{second.RecoveredFrom, second.ProviderRef})
	require.Equal(t, second.Amount, second.AmountRefunded)
	require.Len(t, l.refunds(), 1)
}

// The first operation failed and a second one of the same transaction captured: a refund must name the second.
func TestRecord_SuccessNamesTheOperationThatCaptured(t *testing.T) {
	t.Parallel()
	l := begun(t, settings)
	id := l.charges()[0].ID
	l.send(id)
	l.record(id, answer.Answer{Outcome: answer.Declined, Ref: "pi_1"}, nil)

	l.record(id, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_2", Amount: 1000, Currency: "EUR"}, nil)

	require.Equal(t, payment.Success, l.charges()[0].Status)
	require.Equal(t, "pi_2", l.charges()[0].ProviderRef)
}
