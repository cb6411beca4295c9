package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
)

// sentTwice returns a charge of 1000 that was sent to account pp_1 first, and then to pp_2 with the reference pi_2.
// status is its state there.
func sentTwice(t *testing.T, status payment.Status) (*life, payment.Transaction) {
	t.Helper()
	l := begun(t, settings)
	switch status {
	case payment.Success:
		l.result(answer.Succeeded)
	case payment.Declined:
		l.result(answer.Declined)
	default:
	}
	txn := l.charges()[0]
	txn.SendNumber, txn.FirstSentAt = 2, txn.DueAt
	txn.Provider, txn.ProviderConfigID, txn.ProviderRef = "second", "pp_2", "pi_2"
	l.store.transactions[0] = txn
	return l, txn
}

func TestRecord_AnswerAboutAnEarlierSend(t *testing.T) {
	t.Parallel()
	second := func(config, ref string) *payment.Transaction {
		return &payment.Transaction{
			ID: "txn_2", Type: payment.Charge, Status: payment.Success, Amount: 1000, Currency: "EUR",
			ProviderConfigID: config, ProviderRef: ref,
		}
	}
	for name, c := range map[string]struct {
		is        payment.Status // of the transaction
		outcome   answer.Outcome
		amount    money.Minor
		sentTo    string // the earlier send's account; empty: pp_1
		ref       string // in the answer; empty: pi_1
		recovered *payment.Transaction
		status    payment.Status // after the answer
		account   string
		review    string
		twice     bool // the money of the earlier send is booked, and refunded
		open      bool // callbacks about it stay open
	}{
		"a bad end proves nothing about the later send": {
			is: payment.Pending, outcome: answer.Declined, status: payment.Pending, account: "pp_2",
		},
		"nor is it news of one that moved the money": {
			is: payment.Success, outcome: answer.Failed, status: payment.Success, account: "pp_2",
		},
		"the money moved, while the later send is undecided": {
			is: payment.Pending, outcome: answer.Succeeded, amount: 1000, status: payment.Pending, account: "pp_2",
			open: true,
		},
		"other money moved": {
			is: payment.Pending, outcome: answer.Succeeded, amount: 999, status: payment.Pending, account: "pp_2",
			review: payment.ReviewAmountMismatch,
		},
		"the money moved, after the later send was declined": {
			is: payment.Declined, outcome: answer.Succeeded, amount: 1000, status: payment.Success, account: "pp_1",
		},
		"both moved the money": {
			is: payment.Success, outcome: answer.Succeeded, amount: 1000, status: payment.Success, account: "pp_2",
			twice: true,
		},
		"which is booked": {
			is: payment.Success, outcome: answer.Succeeded, amount: 1000, recovered: second("pp_1", "pi_0"),
			status: payment.Success, account: "pp_2",
		},
		"a third moved it, too": {
			is: payment.Success, outcome: answer.Succeeded, amount: 1000, recovered: second("pp_3", "pi_3"),
			status: payment.Success, account: "pp_2", review: payment.ReviewSecondCapture,
		},
		"the one that counts is meant": {
			is: payment.Success, outcome: answer.Succeeded, amount: 1000, sentTo: "pp_2", ref: "pi_2",
			status: payment.Success, account: "pp_2",
		},
		"another one at the same account": {
			is: payment.Success, outcome: answer.Succeeded, amount: 1000, sentTo: "pp_2", ref: "pi_9",
			status: payment.Success, account: "pp_2", twice: true,
		},
		"the same name at another account": {
			is: payment.Success, outcome: answer.Succeeded, amount: 1000, ref: "pi_2", status: payment.Success,
			account: "pp_2", twice: true,
		},
	} {
		l, txn := sentTwice(t, c.is)
		send := payment.Send{Number: 1, Provider: "first", ProviderConfigID: "pp_1"}
		if c.sentTo != "" {
			send.ProviderConfigID = c.sentTo
		}
		said := answer.Answer{Outcome: c.outcome, Ref: "pi_1", Amount: c.amount, Response: []byte(`{"of": "the first"}`)}
		if c.ref != "" {
			said.Ref = c.ref
		}
		_, recorded, changes, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: txn, Send: &send, Move: payment.MoveLookup, Asked: true, Protocol: protocol, Recovered: c.recovered,
			Answer: said,
		}, l.moment())
		require.NoError(t, err, name)
		after := recorded.Transaction
		require.Equal(t, c.status, after.Status, name)
		require.Equal(t, c.account, after.ProviderConfigID, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, c.open, len(recorded.LookedAt) == 0, name)
		if c.account == "pp_1" {
			require.Equal(t, [3]string{"first", "pi_1", `{"of": "the first"}`},
				[3]string{after.Provider, after.ProviderRef, string(after.ProviderResponse)}, name)
		}
		if !c.twice {
			require.Empty(t, changes.NewTransactions, name)
			continue
		}
		require.Len(t, changes.NewTransactions, 2, name)
		booked, back := changes.NewTransactions[0], changes.NewTransactions[1]
		require.Equal(t, [4]any{payment.Success, money.Minor(1000), send.ProviderConfigID, txn.ID},
			[4]any{booked.Status, booked.Amount, booked.ProviderConfigID, booked.RecoveredFrom}, name)
		require.Equal(t, [3]any{payment.Refund, money.Minor(1000), booked.ID},
			[3]any{back.Type, back.Amount, back.ChargeID}, name)
	}
}

// A restored database has lost the later send: the answer of the earlier send's account is all that is known.
func TestRecord_EarlierSendTakesOverAfterARestore(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		restored time.Duration // after the known send
		outcome  answer.Outcome
		ref      string
		status   payment.Status
		account  string
	}{
		"it has the money":              {time.Hour, answer.Succeeded, "pi_1", payment.Success, "pp_1"},
		"it has accepted it":            {time.Hour, answer.Pending, "pi_1", payment.Pending, "pp_1"},
		"it gave it no name":            {time.Hour, answer.Pending, "", payment.Pending, "pp_2"},
		"it declined":                   {time.Hour, answer.Declined, "pi_1", payment.Pending, "pp_2"},
		"the database is as it was":     {-time.Hour, answer.Succeeded, "pi_1", payment.Pending, "pp_2"},
		"it has accepted it, as it was": {-time.Hour, answer.Pending, "pi_1", payment.Pending, "pp_2"},
	} {
		l, txn := sentTwice(t, payment.Pending)
		txn.ProviderRef = ""
		l.store.transactions[0] = txn
		_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: txn, Send: &payment.Send{Number: 1, Provider: "first", ProviderConfigID: "pp_1"},
			Move: payment.MoveLookup, Asked: true, Protocol: protocol, RestoredAt: txn.FirstSentAt.Add(c.restored),
			Answer: answer.Answer{Outcome: c.outcome, Ref: c.ref, Amount: 1000},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.status, recorded.Transaction.Status, name)
		require.Equal(t, c.account, recorded.Transaction.ProviderConfigID, name)
	}
}

// No account can take a first send: that is recorded only for a waiting charge.
func TestRecord_HoldsWhatWasNotSent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*payment.Transaction)
		held   bool
	}{
		"never sent":     {func(t *payment.Transaction) { t.FirstSentAt, t.ProviderRef = time.Time{}, "" }, true},
		"sent meanwhile": {func(*payment.Transaction) {}, false},
		"canceled meanwhile": {func(t *payment.Transaction) {
			t.Status, t.FirstSentAt, t.ProviderRef = payment.Canceled, time.Time{}, ""
		}, false},
		"it has a name already": {func(t *payment.Transaction) { t.FirstSentAt = time.Time{} }, false},
	} {
		l, txn := sentTwice(t, payment.Pending)
		c.change(&txn)
		l.store.transactions[0] = txn
		_, recorded, _, err := recording.Record(l.load(false).state, recording.Result{
			Transaction: txn, Move: payment.MoveHold, Hold: payment.Hold{Revision: 7},
			Answer: answer.Answer{FailureReason: "No account.", RetryAfter: time.Minute},
		}, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.held, !recorded.Transaction.HeldBack.At.IsZero(), name)
	}
}

// Both sends of a charge have captured: pi_2 at pp_2 counts, and pi_1 at pp_1 is a separate success, txn_2, that was
// refunded. A refund of 300 from the provider's dashboard belongs to the capture that it was made for.
func TestRecord_RefundOfACaptureThatWasGivenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sentTo string // the earlier send of the answer; empty: the current one
		ref    string
		of     string // the charge with the booked refund; empty: it is not booked
		review string
	}{
		"a message names the superfluous one": {"", "pi_1", "txn_2", ""},
		"its account is asked":                {"pp_1", "pi_1", "txn_2", ""},
		"the one that counts":                 {"", "pi_2", "txn_1", ""},
		"its name at a third account":         {"pp_3", "pi_1", "", payment.ReviewSecondCapture},
		"a third name":                        {"", "pi_3", "", payment.ReviewSecondCapture},
	} {
		l, txn := sentTwice(t, payment.Success)
		second := txn.Recover("txn_2", l.now)
		second.ProviderConfigID, second.ProviderRef = "pp_1", "pi_1"
		result := recording.Result{
			Transaction: txn, Move: payment.MoveLookup, Asked: true, Protocol: protocol,
			Answer: answer.Answer{
				Outcome: answer.Succeeded, Ref: c.ref, Amount: 1000,
				Refunds: []answer.Refund{{Ref: "re_1", Amount: 300}},
			},
		}
		if c.ref != txn.ProviderRef { // otherwise the caller loads no other
			result.Recovered = &second
		}
		if c.sentTo != "" {
			result.Send = &payment.Send{Number: 1, Provider: "first", ProviderConfigID: c.sentTo}
		}
		_, recorded, changes, err := recording.Record(l.load(false).state, result, l.moment())
		require.NoError(t, err, name)
		require.Equal(t, c.review, recorded.NeedsReview, name)
		require.Equal(t, txn.ID, recorded.Transaction.ID, name)
		if c.of == "" {
			require.Empty(t, changes.NewTransactions, name)
			continue
		}
		if c.of == "txn_1" {
			c.of = txn.ID
		}
		require.Len(t, changes.NewTransactions, 1, name)
		require.Equal(t, [2]any{c.of, money.Minor(300)},
			[2]any{changes.NewTransactions[0].ChargeID, changes.NewTransactions[0].Amount}, name)
	}
}
