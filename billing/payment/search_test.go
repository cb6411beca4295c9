package payment_test

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/payment"
)

func TestSearch_AsksEveryAccountUnderEveryKey(t *testing.T) {
	t.Parallel()
	restored, later := t0.Add(time.Hour), t0.Add(2*time.Hour)
	stripe := payment.Holder{AccountID: "stripe", CanAsk: true, ByTransaction: true}
	pawapay, flutterwave := payment.Holder{AccountID: "pawapay", CanAsk: true},
		payment.Holder{AccountID: "flutterwave", CanAsk: true}
	adyen, second := payment.Holder{AccountID: "adyen"}, payment.Holder{AccountID: "second"}

	txn := due()
	txn.SendNumber = 2
	s := txn.Search([]payment.Holder{stripe, pawapay, flutterwave}, restored, later)
	require.Len(t, s.Ask, 1+2*12, "one look-up where it finds any send; else four rounds of three accounts")
	require.Equal(t, []payment.Question{{"stripe", 3}, {"pawapay", 3}, {"flutterwave", 3}, {"pawapay", 4}}, s.Ask[:4])
	require.Equal(t, payment.Question{AccountID: "flutterwave", Number: 14}, s.Ask[24])
	require.False(t, s.Blind)

	require.Len(t, slices.Compact(s.Ask), len(s.Ask))
	require.Equal(t, time.Minute, txn.Search([]payment.Holder{stripe, pawapay}, restored, restored).Wait)
	require.Zero(t, txn.Search([]payment.Holder{stripe, pawapay}, restored, later).Wait)
	require.Equal(t, time.Minute, txn.Search([]payment.Holder{stripe}, restored, restored).Wait,
		"the key of what follows a refusal is unknown, and its index lags")

	require.Equal(t, payment.Search{}, txn.Search([]payment.Holder{adyen}, restored, restored),
		"the key is repeated there")
	require.Equal(t, payment.Search{Blind: true}, txn.Search([]payment.Holder{adyen, second}, restored, later))
	s = txn.Search([]payment.Holder{stripe, adyen}, restored, later)
	require.Len(t, s.Ask, 1)
	require.True(t, s.Blind)
	txn.FirstSentAt, txn.ProviderConfigID = t0, "adyen"
	require.False(t, txn.Search([]payment.Holder{stripe, adyen}, restored, later).Blind,
		"it is repeated where it was sent")
	require.True(t, txn.Search([]payment.Holder{adyen, second}, restored, later).Blind, "it may have been refused there")
	require.Empty(t, txn.Search(nil, restored, later))
}

// An account that does not answer is asked after those that do, and an operation that ended without money ends nothing
// before all others are known to have nothing.
func TestLeft_AsksWhoOwesNoAnswerFirst(t *testing.T) {
	t.Parallel()
	q := func(account string, number int) payment.Question {
		return payment.Question{AccountID: account, Number: number}
	}
	s := payment.Search{Ask: []payment.Question{q("a", 1), q("b", 1), q("c", 1), q("a", 2), q("b", 2), q("c", 2)}}
	silent := func(at time.Time, of ...payment.Question) (out []payment.Asked) {
		for _, question := range of {
			out = append(out, payment.Asked{Question: question, At: at})
		}
		return out
	}
	absent := func(of ...payment.Question) (out []payment.Asked) {
		for _, question := range of {
			out = append(out, payment.Asked{Question: question, Absent: true, At: t0})
		}
		return out
	}
	ended := func(of payment.Question) payment.Asked { return payment.Asked{Question: of, Ended: true, At: t0} }
	for name, c := range map[string]struct {
		asked []payment.Asked
		want  payment.Left
	}{
		"nothing was asked": {nil, payment.Left{Ask: s.Ask, Fresh: 6}},
		"one is silent": {
			silent(t0, q("a", 1)),
			payment.Left{Ask: []payment.Question{q("b", 1), q("c", 1), q("b", 2), q("c", 2), q("a", 1), q("a", 2)}, Fresh: 4},
		},
		"all are silent": {
			slices.Concat(silent(t0.Add(time.Minute), q("a", 1)), silent(t0, q("b", 1)), silent(t0.Add(time.Hour), q("c", 1))),
			payment.Left{Ask: []payment.Question{q("b", 1), q("b", 2), q("a", 1), q("a", 2), q("c", 1), q("c", 2)}},
		},
		"it answered later": {
			slices.Concat(absent(q("a", 1), q("b", 1)), silent(t0, q("c", 1))),
			payment.Left{Ask: []payment.Question{q("a", 2), q("b", 2), q("c", 1), q("c", 2)}, Fresh: 2},
		},
		"one is left": {absent(s.Ask[1:]...), payment.Left{Ask: s.Ask[:1], Fresh: 1, Last: true}},
		"one is left beside what ended": {
			append(absent(s.Ask[2:]...), ended(q("b", 1))), payment.Left{Ask: s.Ask[:1], Fresh: 1},
		},
		"all ended or absent": {
			append(absent(q("a", 1), q("c", 1), q("a", 2), q("b", 2)), ended(q("b", 1)), ended(q("c", 2))),
			payment.Left{Ask: []payment.Question{q("c", 2)}, Ended: true},
		},
		"none is left": {absent(s.Ask...), payment.Left{}},
	} {
		left := s.Left(c.asked)
		if len(c.want.Ask) == 0 {
			left.Ask = nil
		}
		require.Equal(t, c.want, left, name)
	}
}

func TestSearching_CountsNoCheck(t *testing.T) {
	t.Parallel()
	now := t0.Add(time.Hour)
	txn := due().Searching("Looked for.", 0, payment.Hold{Revision: 7}, now)
	require.Zero(t, txn.Checks)
	require.Equal(t, now.Add(time.Second), txn.NextCheckAt)
	require.Equal(t, "Looked for.", txn.FailureReason)
	require.EqualValues(t, 7, txn.HeldBack.Revision)
	require.True(t, txn.HeldBack.At.Before(due().SendDueAt), "that it was found proves nothing about its send")

	sent := due()
	sent.FirstSentAt = t0
	sent = sent.Searching("Looked for.", time.Minute, payment.Hold{}, now)
	require.Zero(t, sent.HeldBack, "what was sent is not held back")
	require.Equal(t, now.Add(time.Minute), sent.NextCheckAt)

	parked := due().Park(t0)
	require.Equal(t, parked, parked.Searching("Looked for.", 0, payment.Hold{}, now), "it waits for a person")
	again, patient := protocol.Unsearched(parked, "No answer.", 0, payment.Hold{}, t0, now)
	require.Equal(t, parked, again)
	require.False(t, patient)
}
