package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/providers"
	"perennial/test/scene"
)

func cancelNow(refund string) command {
	return command{Name: contract.CommandCancel, Reason: "enough", ImmediateEffect: true, Refund: refund}
}

func TestCancel_AtPeriodEndThenReactivate(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.perform(command{Name: contract.CommandCancel, Reason: "later"})
	require.Equal(t, subscription.ActionCancel, l.snap.NextAction)
	require.Equal(t, subscription.Active, l.snap.Status)
	l.perform(command{Name: contract.CommandReactivate})
	require.Equal(t, subscription.ActionRenewal, l.snap.NextAction)
	l.until(scene.Start.AddDate(0, 1, 1))
	require.Len(t, l.invoices(), 2)

	l.perform(command{Name: contract.CommandCancel, Reason: "really"})
	l.until(scene.Start.AddDate(0, 2, 1))
	require.Equal(t, subscription.Canceled, l.snap.Status)
	require.True(t, l.snap.Finished)
	require.Equal(t, subscription.ActionNone, l.snap.NextAction)
	require.Len(t, l.invoices(), 2)
	require.Equal(t, "really", l.sub().CancelReason)
	l.sound()
}

func TestCancel_ImmediateKeepsPayment(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.perform(cancelNow(""))
	require.True(t, l.snap.Finished)
	require.Empty(t, l.Started.Take())
	require.Equal(t, scene.Start.AddDate(0, 1, 0), l.sub().PaidThrough)
	for _, c := range []string{contract.CommandCancel, contract.CommandReactivate, contract.CommandChangePlan} {
		refusal := l.command(command{Name: c, PlanID: l.sub().PlanID}).Refusal
		require.NotNil(t, refusal)
		require.Equal(t, "subscription_canceled", refusal.Code, c)
	}
	l.sound()
}

func TestCancel_ImmediateRefundsUnusedTime(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(3100))
	l.Clock.Set(scene.Start.Add(10 * day)) // 21 of 31 days left
	l.perform(cancelNow("prorated"))
	refunds := l.refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, money.Minor(2100), refunds[0].Amount)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	charge := l.transactions()[0]
	require.Equal(t, payment.Success, charge.Status)
	require.Equal(t, money.Minor(2100), charge.AmountRefunded)
	require.Contains(t, l.events(), "payment.refunded")
	l.sound()
}

// A charge is under way when the subscription is canceled.
func TestCancel_ImmediateWithLiveAttempt(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile providers.Outcome
		want      payment.Status
		invoice   invoice.Status
	}{
		"the provider cancels it":      {"", payment.Canceled, invoice.Open},
		"it had succeeded: it is kept": {providers.Succeeded, payment.Success, invoice.Paid},
		"it had failed":                {providers.Declined, payment.Declined, invoice.Open},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := answering(t, scene.Pend)
			txn := l.last()
			if c.meanwhile != "" {
				l.Provider.Settle(txn.ID, c.meanwhile)
			}
			out := l.command(cancelNow(""))
			require.Nil(t, out.Refusal)
			require.Equal(t, subscription.Canceled, l.snap.Status)
			require.False(t, l.snap.Finished, "the workflow stays until nothing is pending")
			l.until(l.Clock.Now().Add(time.Minute))
			require.True(t, l.snap.Finished)
			require.Equal(t, c.want, l.last().Status)
			require.Equal(t, c.invoice, l.invoices()[1].Status)
			require.Empty(t, l.Started.Take(), "no refund unless it is asked for")
			l.until(scene.Start.AddDate(0, 6, 0))
			require.Len(t, l.transactions(), 2)
			l.sound()
		})
	}
}

// The charge was never sent: nobody needs to ask the provider.
func TestCancel_BeforeFirstSendCallsNoProvider(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.due()
	calls := len(l.Provider.Calls())
	l.perform(cancelNow(""))
	require.Equal(t, payment.Canceled, l.last().Status)
	require.Len(t, l.Provider.Calls(), calls)
	require.True(t, l.snap.Finished)
	l.sound()
}

func TestPay_OpenInvoiceOfCanceledSubscription(t *testing.T) {
	t.Parallel()
	l := answering(t, scene.Decline, scene.Decline, scene.Capture)
	l.perform(cancelNow(""))
	require.True(t, l.snap.Finished)
	out := l.perform(command{Name: contract.CommandPay})
	require.Equal(t, payment.Declined, l.last().Status)
	require.Equal(t, l.last().ID, out.TransactionID)
	require.True(t, l.snap.Finished)
	l.Clock.Add(time.Hour)
	l.perform(command{Name: contract.CommandPay})
	require.Equal(t, invoice.Paid, l.invoices()[1].Status)
	require.Equal(t, subscription.Canceled, l.sub().Status)
	require.Equal(t, "nothing_to_pay", l.command(command{Name: contract.CommandPay}).Refusal.Code)
	l.sound()
}

func TestChangePlan_PaidPeriod(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(3100))
	big, small := l.Plan(t, scene.Monthly(6200)), l.Plan(t, scene.Monthly(310))
	l.Clock.Set(scene.Start.Add(10 * day))
	l.perform(command{Name: contract.CommandChangePlan, PlanID: big.ID})
	inv := l.invoices()
	require.Len(t, inv, 2)
	require.Equal(t, invoice.Update, inv[1].Reason)
	require.Equal(t, money.Minor(4200-2100), inv[1].Total)
	require.Equal(t, invoice.Paid, inv[1].Status)

	l.Clock.Set(scene.Start.Add(20 * day)) // 11 of 31 days left: 2200 back, 110 to pay
	l.perform(command{Name: contract.CommandChangePlan, PlanID: small.ID})
	balance, err := l.Store.CreditBalance(t.Context(), l.Env, l.customer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(2090), balance)
	l.until(scene.Start.AddDate(0, 7, 0))
	balance, err = l.Store.CreditBalance(t.Context(), l.Env, l.customer.ID, "EUR")
	require.NoError(t, err)
	require.Zero(t, balance, "credit pays first")
	inv = l.invoices()
	require.Len(t, inv, 3+7)
	for i, want := range []money.Minor{0, 0, 0, 0, 0, 0, 80} { // 2090 = 6 × 310 + 230
		require.Equal(t, want, inv[3+i].AmountDue)
		require.Equal(t, invoice.Paid, inv[3+i].Status)
	}
	require.Len(t, l.Provider.Captures(), 3)
	l.sound()
}

func TestChangePlan_UnpaidPeriodReplacesInvoice(t *testing.T) {
	t.Parallel()
	l := answering(t, scene.Decline)
	big := l.Plan(t, scene.Monthly(2000))
	l.perform(command{Name: contract.CommandChangePlan, PlanID: big.ID})
	inv := l.invoices()
	require.Len(t, inv, 3)
	require.Equal(t, invoice.Void, inv[1].Status)
	require.Equal(t, inv[2].ID, inv[1].ReplacedBy)
	require.Equal(t, money.Minor(2000), inv[2].Total, "at the very start the whole period is on the new plan")
	require.Equal(t, invoice.Paid, inv[2].Status)
	l.sound()
}

func TestChangePlan_RefusedWithLiveAttempt(t *testing.T) {
	t.Parallel()
	l := answering(t, scene.Pend)
	big := l.Plan(t, scene.Monthly(2000))
	change := command{Name: contract.CommandChangePlan, PlanID: big.ID}
	require.Equal(t, "payment_in_progress", l.command(change).Refusal.Code)
	change.AtPeriodEnd = true
	require.Nil(t, l.command(change).Refusal)
	l.Provider.Settle(l.last().ID, providers.Succeeded)
	l.until(scene.Start.AddDate(0, 2, 0))
	require.Equal(t, big.ID, l.sub().PlanID)
	require.Equal(t, money.Minor(2000), l.invoices()[2].Total)
	l.sound()
}

// A refusal is no outcome: the same command is performed once what stood in its way has passed.
func TestCommand_RefusedWhilePaymentPending(t *testing.T) {
	t.Parallel()
	l := answering(t, scene.Pend)
	pay := command{Name: contract.CommandPay}
	change := command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(2000)).ID}
	for _, c := range []command{pay, change} {
		refusal := l.command(c).Refusal
		require.Equal(t, "payment_in_progress", refusal.Code)
		require.Positive(t, refusal.RetryAfter, c.Name)
	}
	l.Provider.Settle(l.last().ID, providers.Succeeded)
	l.asked(l.last().ID)

	refusal := l.command(pay).Refusal
	require.Equal(t, "nothing_to_pay", refusal.Code)
	require.Zero(t, refusal.RetryAfter, "this is final")
	l.perform(change)
	require.Equal(t, "plan_unchanged", l.command(change).Refusal.Code)
	require.Len(t, l.invoices(), 3, "changed once")
	l.sound()
}

func TestChangePlan_IntervalRestartsPeriod(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(3100))
	yearly := l.Plan(t, scene.Every(period.Year, 30000))
	at := scene.Start.Add(10 * day)
	l.Clock.Set(at)
	l.perform(command{Name: contract.CommandChangePlan, PlanID: yearly.ID})
	require.Equal(t, at.AddDate(1, 0, 0), l.snap.PeriodEnd)
	require.Equal(t, money.Minor(30000-2100), l.invoices()[1].AmountPaid)
	l.until(at.AddDate(1, 0, 0))
	require.Equal(t, at.AddDate(2, 0, 0), l.sub().PaidThrough)
	l.sound()
}

func TestCommand_RefusalChangesNothing(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	foreign := scene.Monthly(1000)
	foreign.Currency = "USD"
	l.Plan(t, foreign)
	wrong := int64(999)
	for code, c := range map[string]command{
		"plan_not_found":                {Name: contract.CommandChangePlan, PlanID: "plan_none"},
		"plan_unchanged":                {Name: contract.CommandChangePlan, PlanID: l.sub().PlanID},
		"currency_mismatch":             {Name: contract.CommandChangePlan, PlanID: foreign.ID},
		"cancellation_not_scheduled":    {Name: contract.CommandReactivate},
		"refund_needs_immediate_effect": {Name: contract.CommandCancel, Refund: "prorated"},
		"nothing_to_pay":                {Name: contract.CommandPay, Amount: &wrong},
	} {
		before := l.Rows(t)
		require.Equal(t, code, l.command(c).Refusal.Code)
		require.Equal(t, before, l.Rows(t), code)
	}
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	before := l.Rows(t)
	require.Equal(t, "cancellation_not_scheduled", l.command(command{Name: contract.CommandReactivate}).Refusal.Code)
	require.Equal(t, before, l.Rows(t), "what is due by then is left to the workflow too")
	l.sound()
}

func TestChangePlan_UnknownPlanNamesItsField(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	refusal := l.command(command{Name: contract.CommandChangePlan, PlanID: "plan_none"}).Refusal
	require.Equal(t, "planId", refusal.Param)
	require.Equal(t, fault.NotFound, refusal.Kind)
}

// What the rules have decided cannot be made true, because the charge that is to be given back is not in the books:
// that is a fault of ours, no refusal, and nothing of the command is kept.
func TestCommand_BrokenHalfWayLeavesNothing(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	_, err := l.Pool.Exec(t.Context(), "alter table settlements disable trigger settlements_append_only")
	require.NoError(t, err)
	_, err = l.Pool.Exec(t.Context(), "delete from settlements")
	require.NoError(t, err)
	before := l.Rows(t)

	_, err = l.ask(cancelNow("prorated"))

	require.Equal(t, "capture_missing", fault.From(err).Code)
	require.Equal(t, fault.Internal, fault.From(err).Kind)
	require.Equal(t, before, l.Rows(t))
	require.Empty(t, l.Started.Take())
}

// Commands that come together are performed one after the other, each on what the one before it left.
func TestCommand_ConcurrentOnesSerialise(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.collecting()
	before := l.sub().Revision
	const each = 8
	type result struct {
		name, refusal string
		revision      int64
	}
	results := make(chan result, 2*each)
	var group errgroup.Group
	for i := range 2 * each {
		c := command{Name: contract.CommandCancel, Reason: "enough"}
		if i%2 == 1 {
			c = command{Name: contract.CommandReactivate}
		}
		group.Go(func() error {
			performed, err := l.ask(c)
			r := result{name: c.Name, revision: performed.Subscription.Revision}
			if f := fault.From(err); f != nil {
				r.refusal = f.Code
			}
			results <- r
			return nil
		})
	}
	require.NoError(t, group.Wait())
	close(results)

	changes, revisions := 0, map[int64]string{}
	for r := range results {
		switch {
		case r.refusal != "":
			require.Equal(t, result{name: contract.CommandReactivate, refusal: "cancellation_not_scheduled"}, r)
		case revisions[r.revision] == "": // a cancel that was asked for before changes nothing
			revisions[r.revision] = r.name
			changes++
		default:
			require.Equal(t, contract.CommandCancel, r.name)
		}
	}
	require.Len(t, l.Started.Signals(), 1, "a burst costs one signal")
	require.Equal(t, before+int64(changes), l.sub().Revision)
	for i := range int64(changes) { // they take turns
		require.Equal(t, []string{contract.CommandCancel, contract.CommandReactivate}[i%2], revisions[before+1+i])
	}
	require.Equal(t, changes%2 == 1, l.sub().CancelAtPeriodEnd)
	updates := 0
	for _, e := range l.events() {
		if e == string(event.TypeSubscriptionUpdated) {
			updates++
		}
	}
	require.Equal(t, changes, updates, "each change is announced once")
	l.sound()
}

// A command first does what is due: one that comes together with the boundary finds the new period.
func TestCommand_PerformsDueWorkFirst(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	out := l.command(cancelNow(""))
	require.Nil(t, out.Refusal)
	inv := l.invoices()
	require.Len(t, inv, 2)
	l.until(l.Clock.Now())
	require.Equal(t, payment.Canceled, l.last().Status)
	l.sound()
}
