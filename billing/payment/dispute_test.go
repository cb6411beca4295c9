package payment_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/answer"
	"perennial/billing/event"
	"perennial/billing/money"
	"perennial/billing/payment"
)

// Each row has the known state of a dispute and the provider's next statement.
func TestTransaction_Dispute(t *testing.T) {
	t.Parallel()
	dispute := func(state answer.DisputeState, withdrawn money.Minor, id string) payment.Dispute {
		return payment.Dispute{WithdrawalID: id, Dispute: answer.Dispute{
			Ref: "du_1", State: state, Amount: 1000, Currency: "EUR", Withdrawn: withdrawn,
		}}
	}
	const open, won, lost = answer.DisputeOpen, answer.DisputeWon, answer.DisputeLost
	const review = answer.DisputeUnderReview
	none := payment.Dispute{}
	for name, c := range map[string]struct {
		was, seen payment.Dispute
		announced string
		returned  string
		withdraw  bool
		state     answer.DisputeState
	}{
		"an inquiry":                   {none, dispute(open, 0, ""), "created", "", false, open},
		"opened":                       {none, dispute(open, 1000, ""), "created", "", true, open},
		"opened, again":                {dispute(open, 1000, "txn_w"), dispute(open, 1000, ""), "", "", false, open},
		"an inquiry becomes a dispute": {dispute(open, 0, ""), dispute(open, 1000, ""), "updated", "", true, open},
		"won":                          {dispute(open, 1000, "txn_w"), dispute(won, 0, ""), "closed", "txn_w", false, won},
		"won, the money comes later":   {dispute(open, 1000, "txn_w"), dispute(won, 1000, ""), "closed", "", false, won},
		"the money comes":              {dispute(won, 1000, "txn_w"), dispute(won, 0, ""), "updated", "txn_w", false, won},
		"won in part":                  {dispute(open, 1000, "txn_w"), dispute(won, 400, ""), "closed", "txn_w", true, won},
		"lost":                         {dispute(open, 1000, "txn_w"), dispute(lost, 1000, ""), "closed", "", false, lost},
		"lost, the opening was missed": {none, dispute(lost, 1000, ""), "created closed", "", true, lost},
		"lost, then overtaken word":    {dispute(lost, 1000, "txn_w"), dispute(open, 1000, ""), "", "", false, lost},
		"won, then overtaken word":     {dispute(won, 0, ""), dispute(open, 1000, ""), "", "", false, won},
		"answered": {
			dispute(open, 1000, "txn_w"), dispute(review, 1000, ""), "updated", "", false, review,
		},
		"answered, then won":            {dispute(review, 1000, "txn_w"), dispute(won, 0, ""), "closed", "txn_w", false, won},
		"the bank overturns its ruling": {dispute(won, 0, ""), dispute(lost, 1000, ""), "closed", "", true, lost},
	} {
		charge := captured(1000)
		if c.was != none {
			c.was.ID, c.was.OpenedAt = "dsp_1", t0
			charge.Disputes = payment.Disputes{c.was}
		}
		after, change := charge.Captured().Dispute("dsp_1", c.seen.Dispute, t0)
		var said []string
		for _, data := range after.Captured().Objection(change) {
			said = append(said, strings.TrimPrefix(string(data.Type()), "dispute."))
			require.Equal(t, "dsp_1", event.New(data, t0).ObjectID(), name)
		}
		require.Equal(t, c.announced, strings.Join(said, " "), name)
		require.Equal(t, c.returned, change.Returned, name)
		require.Equal(t, c.withdraw, change.Withdraw, name)
		require.Len(t, after.Disputes, 1, name)
		require.Equal(t, c.state, after.Disputes[0].State, name)
		require.Equal(t, !c.state.Closed(), !after.DisputedAt.IsZero(), name)
		require.Equal(t, t0, after.Disputes[0].OpenedAt, name)
		require.Equal(t, payment.Success, after.Status, name)
		if c.was != none {
			require.Equal(t, c.was, charge.Disputes[0], "%s: the caller's is unchanged", name)
		}
	}
}

func TestTransaction_Withdraw(t *testing.T) {
	t.Parallel()
	charge, change := captured(1000).Captured().Dispute("dsp_1", answer.Dispute{
		Ref: "du_1", State: answer.DisputeOpen, Amount: 1000, Currency: "EUR", Withdrawn: 700,
	}, t0)
	require.True(t, change.Withdraw)
	require.Zero(t, charge.Captured().Withdrawn(), "not before it is booked")
	charge, refund := charge.Captured().Withdraw("txn_w", change.Dispute, t0)
	require.Equal(t, money.Minor(700), charge.Captured().Withdrawn())
	require.Equal(t, money.Minor(300), charge.Captured().Refundable())
	require.Zero(t, charge.AmountRefunded, "a dispute is no refund")
	require.Equal(t, [3]any{payment.Refunded, money.Minor(700), charge.ID},
		[3]any{refund.Status, refund.Amount, refund.ChargeID})
	charge, _ = charge.Captured().Dispute("dsp_2", answer.Dispute{
		Ref: "du_2", State: answer.DisputeOpen, Amount: 100, Currency: "EUR",
	}, t0.Add(time.Hour))
	require.Equal(t, t0, charge.DisputedAt, "since the oldest")
	charge, change = charge.Captured().Dispute("dsp_1", answer.Dispute{
		Ref: "du_1", State: answer.DisputeWon, Amount: 1000, Currency: "EUR",
	}, t0)
	require.Equal(t, "txn_w", change.Returned)
	require.Equal(t, money.Minor(1000), charge.Captured().Refundable())
	require.False(t, charge.DisputedAt.IsZero(), "the other is open")
}

// Fields that a message does not repeat stay, and an outdated message changes nothing, in whatever order they come.
func TestTransaction_DisputeKeepsWhatIsKnown(t *testing.T) {
	t.Parallel()
	due := t0.AddDate(0, 0, 7)
	opened := answer.Dispute{
		Ref: "D1", State: answer.DisputeOpen, Stage: "chargeback", Reason: "10.4", Amount: 1000, Currency: "EUR", Order: 3,
		EvidenceDueAt: due,
	}
	ended := answer.Dispute{Ref: "D1", State: answer.DisputeWon, Amount: 1000, Currency: "EUR", Order: 4}
	for _, order := range [][]answer.Dispute{{opened, ended}, {ended, opened}, {opened, ended, opened, ended}} {
		charge := captured(1000)
		for i, seen := range order {
			charge, _ = charge.Captured().Dispute("dsp_1", seen, t0.Add(time.Duration(i)*time.Hour))
		}
		require.Len(t, charge.Disputes, 1)
		d := charge.Disputes[0]
		require.Equal(t, [2]any{answer.DisputeWon, 4}, [2]any{d.State, d.Order})
		require.Equal(t, t0, d.OpenedAt)
		if order[0] == opened {
			require.Equal(t, [2]any{"10.4", due}, [2]any{d.Reason, d.EvidenceDueAt})
			require.Equal(t, t0.Add(time.Hour), d.ClosedAt, "once")
		}
	}
}

func TestTransaction_DisputeInAnotherCurrency(t *testing.T) {
	t.Parallel()
	seen := answer.Dispute{Ref: "du_1", State: answer.DisputeOpen, Amount: 1100, Currency: "USD", Withdrawn: 1100}
	charge, change := captured(1000).Captured().Dispute("dsp_1", seen, t0)
	require.Equal(t, [2]bool{true, false}, [2]bool{change.Unbookable, change.Withdraw})
	_, change = charge.Captured().Dispute("dsp_1", seen, t0)
	require.False(t, change.Unbookable, "said once")
}

// A refund of 1000 has failed, and its payer disputes the charge: the money must not go back twice, and a lost dispute
// has paid the owed amount.
func TestPayOwed_DisputedCharge(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		withdrawn money.Minor
		end       answer.DisputeState
		open      bool // payable while the dispute is open
		owed      money.Minor
	}{
		"lost":         {1000, answer.DisputeLost, false, 0},
		"lost in part": {400, answer.DisputeLost, false, 600},
		"won":          {1000, answer.DisputeWon, false, 1000},
		"an inquiry":   {0, answer.DisputeWon, true, 1000},
	} {
		charge := captured(1000).Captured().FailRefund(1000)
		say := func(state answer.DisputeState, withdrawn money.Minor) {
			var change payment.Disputed
			charge, change = charge.Captured().Dispute("dsp_1", answer.Dispute{
				Ref: "du_1", State: state, Amount: 1000, Currency: charge.Currency, Withdrawn: withdrawn,
			}, t0)
			if change.Withdraw {
				charge, _ = charge.Captured().Withdraw("txn_w", change.Dispute, t0)
			}
			charge = charge.Captured().Relieved()
		}
		say(answer.DisputeOpen, c.withdrawn)
		same, _, err := charge.Captured().PayOwed()
		require.Equal(t, c.open, err == nil, name)
		if !c.open {
			require.ErrorContains(t, err, "refund_disputed", name)
			require.Equal(t, charge, same, name)
		}
		require.Equal(t, money.Minor(1000), charge.RefundOwed, name)

		if c.end == answer.DisputeWon {
			c.withdrawn = 0
		}
		say(c.end, c.withdrawn)
		require.Equal(t, c.owed, charge.RefundOwed, name)
		paid, owed, err := charge.Captured().PayOwed()
		require.Equal(t, c.owed > 0, err == nil, name)
		require.Equal(t, c.owed, owed, name)
		if err == nil {
			_, _, err = paid.Captured().Refund("txn_r", owed, t0, t0)
			require.NoError(t, err, name)
		}
	}
	lost := captured(1000)
	lost.AmountRefunded = 1000 // a refund in flight
	lost, change := lost.Captured().Dispute("dsp_1", answer.Dispute{
		Ref: "du_1", State: answer.DisputeLost, Amount: 1000, Currency: lost.Currency, Withdrawn: 1000,
	}, t0)
	lost, _ = lost.Captured().Withdraw("txn_w", change.Dispute, t0)
	require.Zero(t, lost.Captured().FailRefund(1000).RefundOwed, "the payer has the money")
}
