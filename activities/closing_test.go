package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestCancel_AfterUnpaidUpgrade(t *testing.T) {
	t.Parallel()
	l := life.Upgraded(t, scene.Decline)
	declined := l.Last()
	require.Equal(t, payment.Declined, declined.Status)

	l.Perform(life.CancelNow("prorated"))

	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, money.Minor(2100), refunds[0].Amount)
	require.Equal(t, l.Transactions()[0].ID, refunds[0].ChargeID)
	inv := l.Invoices()
	require.Len(t, inv, 2)
	require.Equal(t, invoice.Void, inv[1].Status)
	require.NotEmpty(t, inv[1].ReplacedBy)
	notes := l.CreditNotes()
	require.Len(t, notes, 1)
	require.Equal(t, inv[0].ID, notes[0].InvoiceID)
	require.Equal(t, []money.Minor{2100, 2100}, []money.Minor{notes[0].Total, notes[0].Refund})
	require.Equal(t, refunds[0].ID, notes[0].RefundID)
	require.Equal(t, scene.Start.Add(10*life.Day), l.Sub().PaidThrough)
	require.True(t, l.Snap.Finished)
	require.Equal(t, "nothing_to_pay", l.Command(life.Command{Name: contract.CommandPay}).Refusal.Code)
	l.RequireBalanced(t)
	l.Sound()
}

// Ten days at 1.00 and fifteen at 2.00 were used, 31.00 were paid.
func TestCancel_UnpaidUsedTimeStaysPayable(t *testing.T) {
	t.Parallel()
	l := life.Upgraded(t, scene.Decline)
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if l.Sub().CanceledAt.IsZero() {
			return scene.Decline
		}
		return scene.Capture
	}
	l.Until(scene.Start.Add(25 * life.Day))
	require.Equal(t, subscription.PastDue, l.Snap.Status)

	l.Perform(life.CancelNow("prorated"))

	require.Empty(t, l.Started.Take())
	inv := l.Invoices()
	require.Equal(t, invoice.Open, inv[2].Status)
	require.Equal(t, money.Minor(900), inv[2].AmountDue)
	require.True(t, l.Snap.Finished)
	l.RequireBalanced(t)

	l.Clock.Add(time.Hour)
	l.Perform(life.Command{Name: contract.CommandPay})
	require.Equal(t, invoice.Paid, l.Invoices()[2].Status)
	require.Equal(t, money.Minor(900), l.Last().Amount)
	l.RequireBalanced(t)
	l.Sound()
}

// Each charge gives back no more than it took; the latest gives first.
func TestCancel_RefundsSeveralCharges(t *testing.T) {
	t.Parallel()
	l := life.Upgraded(t, scene.Capture)
	l.Clock.Set(scene.Start.Add(15 * life.Day)) // 32.00 of 42.00 are left

	l.Perform(life.CancelNow("prorated"))

	refunds := l.Refunds()
	require.Len(t, refunds, 2)
	require.Equal(t, []payment.Status{payment.Refunded, payment.Refunded}, life.Statuses(refunds))
	given := map[string]money.Minor{}
	for _, r := range refunds {
		given[r.ChargeID] = r.Amount
	}
	charges := l.Transactions()[:2]
	require.Equal(t, map[string]money.Minor{charges[1].ID: 2100, charges[0].ID: 1100}, given)
	for _, c := range charges {
		require.Equal(t, given[c.ID], c.AmountRefunded)
	}
	l.RequireBalanced(t)
	l.Sound()
}

func TestCancel_ReturnsCreditForUnusedTime(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(6200))
	l.Clock.Set(scene.Start.Add(10 * life.Day))
	l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(2800)).ID})
	l.Until(scene.Start.AddDate(0, 1, 0).Add(14 * life.Day)) // the credit of 42.00 - 18.97 pays for most of these 28 days
	require.Equal(t, money.Minor(2303), l.Invoices()[2].CreditApplied)
	require.Equal(t, money.Minor(497), l.Invoices()[2].AmountPaid)

	l.Perform(life.CancelNow("prorated"))

	// 14.00 were used and 4.97 captured: no money is left over. The part that earlier credit paid comes back as credit.
	require.Empty(t, l.Refunds())
	credit, err := l.Store.Customers.CreditBalance(t.Context(), l.Env, l.Payer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(1400), credit)
	l.RequireBalanced(t)
	l.Sound()
}

// The charge for the upgrade is under way when the subscription is canceled. The command does not wait for it.
func TestCancel_CancelsChargeOfClosedPeriod(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile providers.Outcome
		want      payment.Status
		refunds   []money.Minor
	}{
		"the provider cancels it":        {"", payment.Canceled, []money.Minor{2100}},
		"it had failed":                  {providers.Declined, payment.Declined, []money.Minor{2100}},
		"it had succeeded: it goes back": {providers.Succeeded, payment.Success, []money.Minor{2100, 2100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Upgraded(t, scene.Pend)
			attempt := l.Last()
			if c.meanwhile != "" {
				l.Provider.Settle(attempt.ID, c.meanwhile)
			}
			require.Nil(t, l.Command(life.CancelNow("prorated")).Refusal)
			require.Equal(t, subscription.Canceled, l.Snap.Status)
			require.False(t, l.Snap.Finished, "the workflow stays until nothing is pending")
			require.Equal(t, invoice.Void, l.Invoices()[1].Status)

			l.Until(l.Clock.Now().Add(time.Minute))

			require.True(t, l.Snap.Finished)
			got, err := l.Store.Payments.Transaction(t.Context(), l.Env, attempt.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Status)
			var amounts []money.Minor
			for _, r := range l.Refunds() {
				amounts = append(amounts, r.Amount)
			}
			require.Equal(t, c.refunds, amounts)
			require.Len(t, l.Invoices(), 2, "a credit note takes the time back")
			require.Len(t, l.CreditNotes(), 1)
			l.RequireBalanced(t)
			l.Sound()
		})
	}
}
