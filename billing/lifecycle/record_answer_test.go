package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// known returns a sent charge of 1000 in a status, with ref as the provider's reference.
func known(t *testing.T, status payment.Status, ref string) (*life, payment.Transaction) {
	t.Helper()
	l := begun(t, settings)
	l.send(l.charges()[0].ID)
	for is, outcome := range map[payment.Status]answer.Outcome{
		payment.Success: answer.Succeeded, payment.Declined: answer.Declined,
		payment.Canceled: answer.Canceled,
	} {
		if is == status {
			l.result(outcome)
		}
	}
	txn := l.charges()[0]
	txn.ProviderRef = ref
	l.store.transactions[0] = txn
	return l, txn
}

// recorded records an answer about a transaction.
func (l *life) recorded(result recording.Result) (lifecycle.State, recording.Recorded, lifecycle.Changes) {
	result.Protocol = protocol
	if inv := l.store.invoice(result.Transaction.InvoiceID); inv.Status != invoice.Open {
		closed := *inv
		result.Invoice = &closed
	}
	state, recorded, changes, err := recording.Record(l.load(false).state, result, l.moment())
	if err != nil {
		l.store.fail("%s: %v", result.Transaction.ID, err)
	}
	return state, recorded, changes
}

// A provider repeats a message late: the failure of an operation proves nothing about another one of the same charge.
func TestRecord_MessageAboutAnotherOperation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known   string // the charge's reference
		move    payment.Move
		ref     string // of the answer
		outcome answer.Outcome
		status  payment.Status
	}{
		"an older one was declined":        {"pi_2", payment.MoveBelieve, "pi_1", answer.Declined, payment.Pending},
		"an older one has the money":       {"pi_2", payment.MoveBelieve, "pi_1", answer.Succeeded, payment.Success},
		"this one was declined":            {"pi_2", payment.MoveBelieve, "pi_2", answer.Declined, payment.Declined},
		"the message names none":           {"pi_2", payment.MoveBelieve, "", answer.Declined, payment.Declined},
		"the charge has no name yet":       {"", payment.MoveBelieve, "pi_1", answer.Declined, payment.Declined},
		"a look-up about it finds another": {"pi_2", payment.MoveLookup, "pi_1", answer.Declined, payment.Declined},
	} {
		l, txn := known(t, payment.Pending, c.known)
		_, recorded, _ := l.recorded(recording.Result{
			Transaction: txn, Move: c.move, Asked: true, Answer: answer.Answer{Outcome: c.outcome, Ref: c.ref, Amount: 1000},
		})
		require.Equal(t, c.status, recorded.Transaction.Status, name)
		require.Equal(t, invoice.Create, recorded.Reason, name)
	}
}

// The result from the payer's browser is handed over once. The provider takes it, refuses it, or asks the payer again.
func TestRecord_HandedOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		move    payment.Move
		again   bool
		outcome answer.Outcome
		url     string
		waits   bool // it must be handed over (again)
		handed  bool // the provider may have it: the charge cannot end without a request
	}{
		"it has what it needs": {payment.MoveComplete, false, answer.Pending, "", false, true},
		"it asks the payer again": {
			payment.MoveComplete, false, answer.Pending, "https://bank.example", false, false,
		},
		"it refuses it":                     {payment.MoveComplete, false, answer.NotSent, "", false, false},
		"it refuses it, after another one":  {payment.MoveComplete, true, answer.NotSent, "", false, true},
		"it is silent":                      {payment.MoveComplete, false, answer.Unknown, "", true, true},
		"it was only asked, before it came": {payment.MoveLookup, false, answer.Pending, "", true, true},
	} {
		l, txn := known(t, payment.Pending, "pi_1")
		txn.Action = payment.Action{
			Token: "TOKEN", URL: "https://bank.example", ExpiresAt: l.real.Add(time.Hour), Brought: "code", HandedAt: l.real,
		}
		l.store.transactions[0] = txn
		_, recorded, _ := l.recorded(recording.Result{
			Transaction: txn, Move: c.move, Handed: payment.Handed{Brought: "code", Again: c.again},
			Answer: answer.Answer{Outcome: c.outcome, ConfirmURL: c.url},
		})
		after := recorded.Transaction.Action
		require.Equal(t, c.waits, after.Brought == "code", name)
		require.Equal(t, c.handed, !after.HandedAt.IsZero(), name)
	}
}

// A closed charge does not change by a late undecided answer. Only later moves of its money are booked.
func TestRecord_UndecidedAnswerAboutAClosedCharge(t *testing.T) {
	t.Parallel()
	back := []answer.Refund{{Ref: "re_1", Amount: 300}}
	for name, c := range map[string]struct {
		is       payment.Status
		refunds  []answer.Refund
		refunded money.Minor
	}{
		"nothing happened":            {payment.Success, nil, 0},
		"a part went back":            {payment.Success, back, 300},
		"nothing can go back of none": {payment.Declined, back, 0},
	} {
		for _, outcome := range []answer.Outcome{answer.Pending, answer.Unknown, answer.NotSent} {
			l, txn := known(t, c.is, "pi_1")
			_, recorded, changes := l.recorded(recording.Result{
				Transaction: txn, Move: payment.MoveBelieve,
				Answer: answer.Answer{Outcome: outcome, Ref: "pi_1", Refunds: c.refunds},
			})
			want := txn
			want.AmountRefunded = c.refunded
			require.Equal(t, want, recorded.Transaction, name)
			require.Equal(t, c.refunded > 0, len(changes.NewTransactions) == 1, name)
		}
	}
}

// A person decided about a success of 999 instead of 1000, and the provider repeats it, with a later refund of 300.
func TestRecord_OtherAmountThatWasReviewed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is        payment.Status
		decided   bool // about this operation; otherwise about another one
		recovered bool // a capture of the canceled charge counts as a separate success
		review    string
		refunded  money.Minor // after the answer
	}{
		"it counts":                     {payment.Success, true, false, "", 300},
		"another was meant":             {payment.Success, false, false, payment.ReviewAmountMismatch, 0},
		"it does not count":             {payment.Declined, true, false, "", 0},
		"it counts as another payment":  {payment.Canceled, true, true, "", 300},
		"nothing of it counts, too":     {payment.Canceled, true, false, "", 0},
		"it is not the one that counts": {payment.Canceled, false, true, payment.ReviewAmountMismatch, 0},
	} {
		l, txn := known(t, c.is, "pi_1")
		txn.Review = payment.Review{Reason: payment.ReviewAmountMismatch, Ref: "pi_0", At: l.real}
		if c.decided {
			txn.Review.Ref = "pi_1"
		}
		l.store.transactions[0] = txn
		result := recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Asked: true,
			Answer: answer.Answer{
				Outcome: answer.Succeeded, Ref: "pi_1", Amount: 999,
				Refunds: []answer.Refund{{Ref: "re_1", Amount: 300}},
			},
		}
		if c.recovered {
			other := txn.Recover("txn_2", l.now)
			result.Recovered = &other
		}
		_, recorded, changes := l.recorded(result)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, c.refunded > 0, len(changes.NewTransactions) == 1, name)
		if c.refunded == 0 {
			require.Equal(t, c.is, recorded.Transaction.Status, name)
			continue
		}
		require.Equal(t, c.refunded, changes.NewTransactions[0].Amount, name)
		require.Equal(t, c.recovered, changes.NewTransactions[0].ChargeID == "txn_2", name)
	}
}

// The provider took the money twice only if it names two captured operations.
func TestRecord_SecondCaptureHasAnotherName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known, ref string
		review     string
	}{
		"another operation":            {"pi_1", "pi_2", payment.ReviewSecondCapture},
		"the same":                     {"pi_1", "pi_1", ""},
		"the answer names none":        {"pi_1", "", ""},
		"it was booked without a name": {"", "pi_2", ""},
	} {
		l, txn := known(t, payment.Success, c.known)
		_, recorded, _ := l.recorded(recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Asked: true,
			Answer: answer.Answer{Outcome: answer.Succeeded, Ref: c.ref, Amount: 1000},
		})
		require.Equal(t, c.review, recorded.NeedsReview, name)
	}
}

// A charge keeps the reference of the operation that moved the money, or else of the first one; and the last response
// with a body.
func TestRecord_KeepsTheName(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		known, ref string
		outcome    answer.Outcome
		response   string
		want       [2]string // reference and response after the answer
	}{
		"the first one":              {"", "pi_1", answer.Pending, "{}", [2]string{"pi_1", "{}"}},
		"another one is under way":   {"pi_1", "pi_2", answer.Pending, "{}", [2]string{"pi_1", "{}"}},
		"another one has the money":  {"pi_1", "pi_2", answer.Succeeded, "{}", [2]string{"pi_2", "{}"}},
		"one without a name has it":  {"pi_1", "", answer.Succeeded, "{}", [2]string{"pi_1", "{}"}},
		"the answer has no response": {"pi_1", "pi_1", answer.Pending, "", [2]string{"pi_1", `{"was": 1}`}},
	} {
		l, txn := known(t, payment.Pending, c.known)
		txn.ProviderResponse = []byte(`{"was": 1}`)
		l.store.transactions[0] = txn
		said := answer.Answer{Outcome: c.outcome, Ref: c.ref}
		if c.response != "" {
			said.Response = []byte(c.response)
		}
		_, recorded, _ := l.recorded(recording.Result{Transaction: txn, Move: payment.MoveLookup, Answer: said})
		require.Equal(
			t, c.want, [2]string{recorded.Transaction.ProviderRef, string(recorded.Transaction.ProviderResponse)}, name,
		)
	}
}

// A late cancellation of a captured charge returned all of its money: that is a refund, and nothing is owed.
func TestRecord_EndWithRefunds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		is      payment.Status
		outcome answer.Outcome
		seen    bool
		status  payment.Status
		booked  string // the reference of the new refund; "none": one without a reference
		owed    money.Minor
	}{
		"the money went back":        {payment.Success, answer.Canceled, true, payment.Success, "re_1", 0},
		"it was not captured":        {payment.Success, answer.Canceled, false, payment.Success, "none", 1000},
		"its capture failed":         {payment.Success, answer.Failed, true, payment.Success, "none", 1000},
		"it was canceled before":     {payment.Pending, answer.Canceled, true, payment.Canceled, "", 0},
		"it was canceled in time":    {payment.Pending, answer.Canceled, false, payment.Canceled, "", 0},
		"an end of one that is over": {payment.Declined, answer.Canceled, true, payment.Declined, "", 0},
	} {
		l, txn := known(t, c.is, "pi_1")
		said := answer.Answer{Outcome: c.outcome, Ref: "pi_1"}
		if c.seen {
			said.Refunds = []answer.Refund{{Ref: "re_1", Amount: 1000}}
		}
		state, recorded, changes := l.recorded(recording.Result{Transaction: txn, Move: payment.MoveLookup, Answer: said})
		require.Equal(t, c.status, recorded.Transaction.Status, name)
		require.Equal(t, -c.owed, state.Balance, name)
		require.Equal(t, c.booked != "", len(changes.NewTransactions) == 1, name)
		if c.booked == "none" {
			c.booked = ""
		}
		for _, refund := range changes.NewTransactions {
			require.Equal(t, [2]any{c.booked, money.Minor(1000)}, [2]any{refund.ProviderRef, refund.Amount}, name)
		}
	}
}

// A transaction that the provider does not know waits with a reason, or is sent again at once.
func TestRecord_AbsentSaysWhyItWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ref    string
		reason string
		wait   time.Duration
	}{
		"it had accepted it": {
			"pi_1",
			"The provider does not know this payment. It had accepted it before, so that the payment is not sent again. " +
				"The provider is asked again.", 10 * time.Second,
		},
		"it never had it": {"", "A reason of before.", 0},
	} {
		l, txn := known(t, payment.Pending, c.ref)
		txn.FailureReason = "A reason of before."
		l.store.transactions[0] = txn
		_, recorded, _ := l.recorded(recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Answer: answer.Answer{Outcome: answer.NotFound},
		})
		require.Equal(t, c.reason, recorded.Transaction.FailureReason, name)
		require.Equal(t, c.wait, recorded.Transaction.NextCheckAt.Sub(l.real), name)
	}
}

// A payer who was asked has a day. Where the provider cannot cancel, a payer on its page has an hour more; where it
// can, it is asked to cancel, and its answer counts.
func TestRecord_PayersTimeIsOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cancels bool
		after   time.Duration
		status  payment.Status
	}{
		"in time":                        {false, 24*time.Hour + 59*time.Minute, payment.Pending},
		"over":                           {false, 25 * time.Hour, payment.Failed},
		"in time, could be canceled":     {true, 23 * time.Hour, payment.Pending},
		"over, it is asked to cancel it": {true, 25 * time.Hour, payment.Pending},
	} {
		l := begun(t, settings)
		l.asksPayer(l.live("").ID)
		l.moveTo(l.now.Add(c.after))
		p := protocol
		p.Cancel = c.cancels
		_, recorded, changes, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: *l.live(""), Move: payment.MoveLookup, Protocol: p,
			Answer: answer.Answer{Outcome: answer.Pending, ConfirmURL: "https://bank.example"},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.status, recorded.Transaction.Status, name)
		if c.status == payment.Failed {
			require.Equal(t, payment.Unconfirmed, recorded.Transaction.FailureReason, name)
			require.Equal(t, []event.Type{event.TypePaymentFailed, event.TypeInvoicePaymentFailed},
				typesOf(changes.Events), name)
		}
	}
}
