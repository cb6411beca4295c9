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
	"perennial/test/scene"
)

// upgraded pays 31.00 for 31 days; after ten of them the plan becomes one of 62.00, for whose rest 42.00 - 21.00 are
// due.
func upgraded(t *testing.T, answer scene.Answer) *life {
	t.Helper()
	l := begin(t, scene.New(t), scene.Monthly(3100))
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if n == 2 {
			return answer
		}
		return scene.Capture
	}
	l.Clock.Set(scene.Start.Add(10 * day))
	l.perform(command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(6200)).ID})
	require.Equal(t, money.Minor(2100), l.invoices()[1].AmountDue)
	return l
}

// requireBalanced wants all invoices that count to come to what was paid, is due, and is left as credit.
func (l *life) requireBalanced(t *testing.T) {
	t.Helper()
	var billed, due, kept money.Minor
	for _, i := range l.invoices() {
		if i.Status == invoice.Void {
			continue
		}
		billed += i.Total
		if i.Status == invoice.Open {
			due += i.AmountDue
		}
	}
	for _, txn := range l.transactions() {
		switch txn.Status {
		case payment.Success:
			kept += txn.Amount
		case payment.Refunded:
			kept -= txn.Amount
		default:
		}
	}
	credit, err := l.Store.CreditBalance(t.Context(), l.Env, l.customer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, billed, kept+due-credit)
}

func TestCancel_AfterUnpaidUpgrade(t *testing.T) {
	t.Parallel()
	l := upgraded(t, scene.Decline)
	declined := l.last()
	require.Equal(t, payment.Declined, declined.Status)

	l.perform(cancelNow("prorated"))

	refunds := l.refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, money.Minor(2100), refunds[0].Amount)
	require.Equal(t, l.transactions()[0].ID, refunds[0].ChargeID)
	inv := l.invoices()
	require.Len(t, inv, 3)
	require.Equal(t, invoice.Void, inv[1].Status)
	require.Equal(t, inv[2].ID, inv[1].ReplacedBy)
	require.Equal(t, invoice.Paid, inv[2].Status)
	require.Equal(t, money.Minor(-2100), inv[2].Total)
	require.Equal(t, scene.Start.Add(10*day), l.sub().PaidThrough)
	require.True(t, l.snap.Finished)
	require.Equal(t, "nothing_to_pay", l.command(command{Name: contract.CommandPay}).Refusal.Code)
	l.requireBalanced(t)
	l.sound()
}

// Ten days at 1.00 and fifteen at 2.00 were used, 31.00 were paid.
func TestCancel_UnpaidUsedTimeStaysPayable(t *testing.T) {
	t.Parallel()
	l := upgraded(t, scene.Decline)
	l.Provider.Script = func(n int, _ providers.ChargeRequest) scene.Answer {
		if l.sub().CanceledAt.IsZero() {
			return scene.Decline
		}
		return scene.Capture
	}
	l.until(scene.Start.Add(25 * day))
	require.Equal(t, subscription.PastDue, l.snap.Status)

	l.perform(cancelNow("prorated"))

	require.Empty(t, l.Started.Take())
	inv := l.invoices()
	require.Equal(t, invoice.Open, inv[2].Status)
	require.Equal(t, money.Minor(900), inv[2].AmountDue)
	require.True(t, l.snap.Finished)
	l.requireBalanced(t)

	l.Clock.Add(time.Hour)
	l.perform(command{Name: contract.CommandPay})
	require.Equal(t, invoice.Paid, l.invoices()[2].Status)
	require.Equal(t, money.Minor(900), l.last().Amount)
	l.requireBalanced(t)
	l.sound()
}

// Each charge gives back no more than it took; the latest gives first.
func TestCancel_RefundsSeveralCharges(t *testing.T) {
	t.Parallel()
	l := upgraded(t, scene.Capture)
	l.Clock.Set(scene.Start.Add(15 * day)) // 32.00 of 42.00 are left

	l.perform(cancelNow("prorated"))

	refunds := l.refunds()
	require.Len(t, refunds, 2)
	require.Equal(t, []payment.Status{payment.Refunded, payment.Refunded}, statuses(refunds))
	given := map[string]money.Minor{}
	for _, r := range refunds {
		given[r.ChargeID] = r.Amount
	}
	charges := l.transactions()[:2]
	require.Equal(t, map[string]money.Minor{charges[1].ID: 2100, charges[0].ID: 1100}, given)
	for _, c := range charges {
		require.Equal(t, given[c.ID], c.AmountRefunded)
	}
	l.requireBalanced(t)
	l.sound()
}

func TestCancel_ReturnsCreditForUnusedTime(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(6200))
	l.Clock.Set(scene.Start.Add(10 * day))
	l.perform(command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(2800)).ID})
	l.until(scene.Start.AddDate(0, 1, 0).Add(14 * day)) // the credit of 42.00 - 18.97 pays for most of these 28 days
	require.Equal(t, money.Minor(2303), l.invoices()[2].CreditApplied)
	require.Equal(t, money.Minor(497), l.invoices()[2].AmountPaid)

	l.perform(cancelNow("prorated"))

	// 14.00 were used and 4.97 captured: no money is left over. What earlier credit paid for comes back as credit.
	require.Empty(t, l.refunds())
	credit, err := l.Store.CreditBalance(t.Context(), l.Env, l.customer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(1400), credit)
	l.requireBalanced(t)
	l.sound()
}

// The charge for the upgrade is under way when the subscription is canceled. Nobody waits for it.
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
			l := upgraded(t, scene.Pend)
			attempt := l.last()
			if c.meanwhile != "" {
				l.Provider.Settle(attempt.ID, c.meanwhile)
			}
			require.Nil(t, l.command(cancelNow("prorated")).Refusal)
			require.Equal(t, subscription.Canceled, l.snap.Status)
			require.False(t, l.snap.Finished, "the workflow stays until nothing is pending")
			require.Equal(t, invoice.Void, l.invoices()[1].Status)

			l.until(l.Clock.Now().Add(time.Minute))

			require.True(t, l.snap.Finished)
			got, err := l.Store.Transaction(t.Context(), l.Env, attempt.ID)
			require.NoError(t, err)
			require.Equal(t, c.want, got.Status)
			var amounts []money.Minor
			for _, r := range l.refunds() {
				amounts = append(amounts, r.Amount)
			}
			require.Equal(t, c.refunds, amounts)
			require.Equal(t, invoice.Paid, l.invoices()[2].Status)
			l.requireBalanced(t)
			l.sound()
		})
	}
}
