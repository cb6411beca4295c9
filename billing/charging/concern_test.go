package charging_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/charging"
	"perennial/billing/payment"
)

func TestConcerns(t *testing.T) {
	t.Parallel()
	sent := time.Unix(1, 0)
	unsent := payment.Transaction{ID: "txn_1", Provider: "pawapay", ProviderConfigID: "pp_refused"}
	open := payment.Transaction{ID: "txn_1", Provider: "stripe", ProviderConfigID: "pp_1", FirstSentAt: sent,
		ProviderRef: "pi_1"}
	paid := open
	paid.Status = payment.Success
	spoken := charging.Step{Transaction: payment.Transaction{Provider: "adyen", ProviderConfigID: "pp_2"}}
	earlier := spoken
	earlier.Earlier = &payment.Send{Number: 1, ProviderConfigID: "pp_1"}
	message := spoken
	message.Move = payment.MoveBelieve
	refund := open
	refund.Type, refund.Status = payment.Refund, payment.Pending
	failed, charge := refund, open
	failed.Status = payment.Failed
	charge.Type, charge.Status = payment.Charge, payment.Failed
	for name, c := range map[string]struct {
		step             charging.Step
		row              payment.Transaction
		said             answer.Answer
		account          string
		recovered, sends bool
		failed           bool
	}{
		"never sent: whom the step spoke to": {
			spoken, unsent, answer.Answer{Outcome: answer.NotSent}, "pp_2", false, false, false,
		},
		"never sent, and about an earlier send: as the row says": {
			earlier, unsent, answer.Answer{Outcome: answer.Succeeded}, "pp_refused", true, false, false,
		},
		"sent: as the row says": {
			spoken, open, answer.Answer{Outcome: answer.Pending, Ref: "pi_1"}, "pp_1", false, false, false,
		},
		"an open one under another reference": {
			spoken, open, answer.Answer{Outcome: answer.Pending, Ref: "pi_2"}, "pp_1", false, false, false,
		},
		"a success under its reference": {
			spoken, paid, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1"}, "pp_1", false, false, false,
		},
		"a success that is not named": {
			spoken, paid, answer.Answer{Outcome: answer.Succeeded}, "pp_1", false, false, false,
		},
		"a success under another reference": {
			spoken, paid, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_2"}, "pp_1", true, false, false,
		},
		"its provider does not know the charge": {
			spoken, open, answer.Answer{Outcome: answer.NotFound}, "pp_1", false, true, false,
		},
		"a refund that failed went through": {
			message, failed, answer.Answer{Outcome: answer.Succeeded, Ref: "re_2"}, "pp_1", false, false, true,
		},
		"a refund that failed, by a look-up": {
			spoken, failed, answer.Answer{Outcome: answer.Succeeded, Ref: "re_2"}, "pp_1", false, false, false,
		},
		"a refund that failed, failed": {
			message, failed, answer.Answer{Outcome: answer.Failed, Ref: "re_2"}, "pp_1", false, false, false,
		},
		"a refund that is open": {
			message, refund, answer.Answer{Outcome: answer.Succeeded, Ref: "re_2"}, "pp_1", false, false, true,
		},
		"a charge that failed": {
			message, charge, answer.Answer{Outcome: answer.Succeeded, Ref: "pi_1"}, "pp_1", false, false, false,
		},
	} {
		about := c.step.Concerns(c.row, c.said)
		require.Equal(t, c.account, about.Transaction.ProviderConfigID, name)
		require.Equal(t, c.recovered, about.Recovered, name)
		require.Equal(t, c.sends, about.Sends, name)
		require.Equal(t, c.failed, about.Failed, name)
		about.Transaction.Provider, about.Transaction.ProviderConfigID = c.row.Provider, c.row.ProviderConfigID
		require.Equal(t, c.row, about.Transaction, "%s: nothing else changes", name)
	}
}

func TestConcernsRefunds(t *testing.T) {
	t.Parallel()
	paid, open := payment.Transaction{Status: payment.Success}, payment.Transaction{Status: payment.Pending}
	for name, c := range map[string]struct {
		captured payment.Transaction
		said     answer.Answer
		want     bool
	}{
		"a success again":           {paid, answer.Answer{Outcome: answer.Succeeded}, false},
		"no answer":                 {paid, answer.Answer{Outcome: answer.Unknown}, false},
		"a success that is undone":  {paid, answer.Answer{Outcome: answer.Canceled}, true},
		"a charge that is declined": {open, answer.Answer{Outcome: answer.Declined}, false},
		"with a refund": {
			paid, answer.Answer{Outcome: answer.Succeeded, Refunds: []answer.Refund{{Ref: "re_1"}}}, true,
		},
		"with a dispute": {
			paid, answer.Answer{Outcome: answer.Succeeded, Disputes: []answer.Dispute{{Ref: "dp_1"}}}, true,
		},
	} {
		require.Equal(t, c.want, charging.ConcernsRefunds(c.captured, c.said), name)
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	asked := time.Unix(1_700_000_000, 0)
	paid := payment.Transaction{ID: "txn_1", ProviderRef: "pi_1", Status: payment.Success}
	lookup := charging.Step{Move: payment.MoveLookup}
	believes := charging.Step{Move: payment.MoveBelieve}
	earlier := charging.Step{
		Move: payment.MoveLookup, Subject: charging.Subject{Earlier: &payment.Send{ProviderConfigID: "pp_1"}},
	}
	refs := []string{"", "pi_1"}
	for name, c := range map[string]struct {
		step     charging.Step
		lookedAt []string
		said     answer.Outcome
		want     charging.Coverage
	}{
		"looked at": {lookup, refs, answer.Succeeded, charging.Coverage{
			Refs: refs, Until: asked, Asked: true, Shows: paid.Shows(),
		}},
		"what a provider does not know yet, it may have sent word of before": {lookup, refs, answer.NotFound,
			charging.Coverage{
				Refs: refs, Until: asked.Add(-10 * time.Minute), Asked: true, Shows: paid.Shows(),
			}},
		"nothing looked at": {lookup, nil, answer.Unknown, charging.Coverage{
			Until: asked, Asked: true, Shows: paid.Shows(),
		}},
		"a believed callback is no answer": {believes, refs, answer.Succeeded, charging.Coverage{
			Refs: refs, Until: asked, Shows: paid.Shows(),
		}},
		"an earlier send: only its account": {earlier, refs, answer.Succeeded, charging.Coverage{
			AccountID: "pp_1", Refs: refs, Until: asked, Asked: true,
		}},
		"an earlier send that was not looked at": {earlier, nil, answer.Unknown, charging.Coverage{}},
	} {
		require.Equal(t, c.want, c.step.Covers(paid, c.lookedAt, asked, c.said), name)
	}
	require.Equal(t, charging.Coverage{Refs: refs, Until: asked, Shows: paid.Shows()},
		charging.CoversUnasked(paid, true, asked))
	require.Equal(t, charging.Coverage{Shows: paid.Shows()}, charging.CoversUnasked(paid, false, asked))
}
