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
	"perennial/test/life"
	"perennial/test/scene"
)

func TestCancel_AtPeriodEndThenReactivate(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Perform(life.Command{Name: contract.CommandCancel, Reason: "later"})
	require.Equal(t, subscription.ActionCancel, l.Snap.NextAction)
	require.Equal(t, subscription.Active, l.Snap.Status)
	l.Perform(life.Command{Name: contract.CommandReactivate})
	require.Equal(t, subscription.ActionRenewal, l.Snap.NextAction)
	l.Until(scene.Start.AddDate(0, 1, 1))
	require.Len(t, l.Invoices(), 2)

	l.Perform(life.Command{Name: contract.CommandCancel, Reason: "really"})
	l.Until(scene.Start.AddDate(0, 2, 1))
	require.Equal(t, subscription.Canceled, l.Snap.Status)
	require.True(t, l.Snap.Finished)
	require.Equal(t, subscription.ActionNone, l.Snap.NextAction)
	require.Len(t, l.Invoices(), 2)
	require.Equal(t, "really", l.Sub().CancelReason)
	l.Sound()
}

func TestCancel_ImmediateKeepsPayment(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Perform(life.CancelNow(""))
	require.True(t, l.Snap.Finished)
	require.Empty(t, l.Started.Take())
	require.Equal(t, scene.Start.AddDate(0, 1, 0), l.Sub().PaidThrough)
	for _, c := range []string{contract.CommandCancel, contract.CommandReactivate, contract.CommandChangePlan} {
		refusal := l.Command(life.Command{Name: c, PlanID: l.Sub().PlanID}).Refusal
		require.NotNil(t, refusal)
		require.Equal(t, "subscription_canceled", refusal.Code, c)
	}
	l.Sound()
}

func TestCancel_ImmediateRefundsUnusedTime(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(3100))
	l.Clock.Set(scene.Start.Add(10 * life.Day)) // 21 of 31 days left
	l.Perform(life.CancelNow("prorated"))
	refunds := l.Refunds()
	require.Len(t, refunds, 1)
	require.Equal(t, money.Minor(2100), refunds[0].Amount)
	require.Equal(t, payment.Refunded, refunds[0].Status)
	charge := l.Transactions()[0]
	require.Equal(t, payment.Success, charge.Status)
	require.Equal(t, money.Minor(2100), charge.AmountRefunded)
	require.Contains(t, l.Events(), "payment.refunded")
	l.Sound()
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
			l := life.Answering(t, scene.Pend)
			txn := l.Last()
			if c.meanwhile != "" {
				l.Provider.Settle(txn.ID, c.meanwhile)
			}
			out := l.Command(life.CancelNow(""))
			require.Nil(t, out.Refusal)
			require.Equal(t, subscription.Canceled, l.Snap.Status)
			require.False(t, l.Snap.Finished, "the workflow stays until nothing is pending")
			l.Until(l.Clock.Now().Add(time.Minute))
			require.True(t, l.Snap.Finished)
			require.Equal(t, c.want, l.Last().Status)
			require.Equal(t, c.invoice, l.Invoices()[1].Status)
			require.Empty(t, l.Started.Take(), "no refund unless it is asked for")
			l.Until(scene.Start.AddDate(0, 6, 0))
			require.Len(t, l.Transactions(), 2)
			l.Sound()
		})
	}
}

// The charge was never sent, so the provider need not be asked.
func TestCancel_BeforeFirstSendCallsNoProvider(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	l.Due()
	calls := len(l.Provider.Calls())
	l.Perform(life.CancelNow(""))
	require.Equal(t, payment.Canceled, l.Last().Status)
	require.Len(t, l.Provider.Calls(), calls)
	require.True(t, l.Snap.Finished)
	l.Sound()
}

func TestPay_OpenInvoiceOfCanceledSubscription(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Decline, scene.Decline, scene.Capture)
	l.Perform(life.CancelNow(""))
	require.True(t, l.Snap.Finished)
	out := l.Perform(life.Command{Name: contract.CommandPay})
	require.Equal(t, payment.Declined, l.Last().Status)
	require.Equal(t, l.Last().ID, out.TransactionID)
	require.True(t, l.Snap.Finished)
	l.Clock.Add(time.Hour)
	l.Perform(life.Command{Name: contract.CommandPay})
	require.Equal(t, invoice.Paid, l.Invoices()[1].Status)
	require.Equal(t, subscription.Canceled, l.Sub().Status)
	require.Equal(t, "nothing_to_pay", l.Command(life.Command{Name: contract.CommandPay}).Refusal.Code)
	l.Sound()
}

func TestChangePlan_PaidPeriod(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(3100))
	big, small := l.Plan(t, scene.Monthly(6200)), l.Plan(t, scene.Monthly(310))
	l.Clock.Set(scene.Start.Add(10 * life.Day))
	l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: big.ID})
	inv := l.Invoices()
	require.Len(t, inv, 2)
	require.Equal(t, invoice.Update, inv[1].Reason)
	require.Equal(t, money.Minor(4200-2100), inv[1].Total)
	require.Equal(t, invoice.Paid, inv[1].Status)

	l.Clock.Set(scene.Start.Add(20 * life.Day)) // 11 of 31 days left: 2200 back, 110 to pay
	l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: small.ID})
	balance, err := l.Store.Customers.CreditBalance(t.Context(), l.Env, l.Payer.ID, "EUR")
	require.NoError(t, err)
	require.Equal(t, money.Minor(2090), balance)
	l.Until(scene.Start.AddDate(0, 7, 0))
	balance, err = l.Store.Customers.CreditBalance(t.Context(), l.Env, l.Payer.ID, "EUR")
	require.NoError(t, err)
	require.Zero(t, balance, "credit pays first")
	inv = l.Invoices()
	require.Len(t, inv, 3+7)
	for i, want := range []money.Minor{0, 0, 0, 0, 0, 0, 80} { // 2090 = 6 × 310 + 230
		require.Equal(t, want, inv[3+i].AmountDue)
		require.Equal(t, invoice.Paid, inv[3+i].Status)
	}
	require.Len(t, l.Provider.Captures(), 3)
	l.Sound()
}

func TestChangePlan_UnpaidPeriodReplacesInvoice(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Decline)
	big := l.Plan(t, scene.Monthly(2000))
	l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: big.ID})
	inv := l.Invoices()
	require.Len(t, inv, 3)
	require.Equal(t, invoice.Void, inv[1].Status)
	require.Equal(t, inv[2].ID, inv[1].ReplacedBy)
	require.Equal(t, money.Minor(2000), inv[2].Total, "at the very start the whole period is on the new plan")
	require.Equal(t, invoice.Paid, inv[2].Status)
	l.Sound()
}

func TestChangePlan_RefusedWithLiveAttempt(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Pend)
	big := l.Plan(t, scene.Monthly(2000))
	change := life.Command{Name: contract.CommandChangePlan, PlanID: big.ID}
	require.Equal(t, "payment_in_progress", l.Command(change).Refusal.Code)
	change.AtPeriodEnd = true
	require.Nil(t, l.Command(change).Refusal)
	l.Provider.Settle(l.Last().ID, providers.Succeeded)
	l.Until(scene.Start.AddDate(0, 2, 0))
	require.Equal(t, big.ID, l.Sub().PlanID)
	require.Equal(t, money.Minor(2000), l.Invoices()[2].Total)
	l.Sound()
}

// A refusal is no outcome: the same command is performed once what stood in its way has passed.
func TestCommand_RefusedWhilePaymentPending(t *testing.T) {
	t.Parallel()
	l := life.Answering(t, scene.Pend)
	pay := life.Command{Name: contract.CommandPay}
	change := life.Command{Name: contract.CommandChangePlan, PlanID: l.Plan(t, scene.Monthly(2000)).ID}
	for _, c := range []life.Command{pay, change} {
		refusal := l.Command(c).Refusal
		require.Equal(t, "payment_in_progress", refusal.Code)
		require.Positive(t, refusal.RetryAfter, c.Name)
	}
	l.Provider.Settle(l.Last().ID, providers.Succeeded)
	l.CheckAsked(l.Last().ID)

	refusal := l.Command(pay).Refusal
	require.Equal(t, "nothing_to_pay", refusal.Code)
	require.Zero(t, refusal.RetryAfter, "this is final")
	l.Perform(change)
	require.Equal(t, "plan_unchanged", l.Command(change).Refusal.Code)
	require.Len(t, l.Invoices(), 3, "changed once")
	l.Sound()
}

func TestChangePlan_IntervalRestartsPeriod(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(3100))
	yearly := l.Plan(t, scene.Every(period.Year, 30000))
	at := scene.Start.Add(10 * life.Day)
	l.Clock.Set(at)
	l.Perform(life.Command{Name: contract.CommandChangePlan, PlanID: yearly.ID})
	require.Equal(t, at.AddDate(1, 0, 0), l.Snap.PeriodEnd)
	require.Equal(t, money.Minor(30000-2100), l.Invoices()[1].AmountPaid)
	l.Until(at.AddDate(1, 0, 0))
	require.Equal(t, at.AddDate(2, 0, 0), l.Sub().PaidThrough)
	l.Sound()
}

func TestCommand_RefusalChangesNothing(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	foreign := scene.Monthly(1000)
	foreign.Currency = "USD"
	l.Plan(t, foreign)
	wrong := int64(999)
	for code, c := range map[string]life.Command{
		"plan_not_found":                {Name: contract.CommandChangePlan, PlanID: "plan_none"},
		"plan_unchanged":                {Name: contract.CommandChangePlan, PlanID: l.Sub().PlanID},
		"currency_mismatch":             {Name: contract.CommandChangePlan, PlanID: foreign.ID},
		"cancellation_not_scheduled":    {Name: contract.CommandReactivate},
		"refund_needs_immediate_effect": {Name: contract.CommandCancel, Refund: "prorated"},
		"nothing_to_pay":                {Name: contract.CommandPay, Amount: &wrong},
	} {
		before := l.Rows(t)
		require.Equal(t, code, l.Command(c).Refusal.Code)
		require.Equal(t, before, l.Rows(t), code)
	}
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	before := l.Rows(t)
	require.Equal(t, "cancellation_not_scheduled", l.Command(life.Command{Name: contract.CommandReactivate}).Refusal.Code)
	require.Equal(t, before, l.Rows(t), "what is due by then is left to the workflow too")
	l.Sound()
}

func TestChangePlan_UnknownPlanNamesItsField(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	refusal := l.Command(life.Command{Name: contract.CommandChangePlan, PlanID: "plan_none"}).Refusal
	require.Equal(t, "planId", refusal.Param)
	require.Equal(t, fault.NotFound, refusal.Kind)
}

// A decision cannot be written because the charge that is to be refunded is not in the books. That is a server error,
// not a refusal, and no part of the command is kept.
func TestCommand_BrokenHalfWayLeavesNothing(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	_, err := l.Pool.Exec(t.Context(), "alter table settlements disable trigger settlements_append_only")
	require.NoError(t, err)
	_, err = l.Pool.Exec(t.Context(), "delete from settlements")
	require.NoError(t, err)
	before := l.Rows(t)

	_, err = l.Ask(life.CancelNow("prorated"))

	require.Equal(t, "capture_missing", fault.From(err).Code)
	require.Equal(t, fault.Internal, fault.From(err).Kind)
	require.Equal(t, before, l.Rows(t))
	require.Empty(t, l.Started.Take())
}

// Concurrent commands are performed one after the other, each on the state that the one before it left.
func TestCommand_ConcurrentOnesSerialise(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Collecting()
	before := l.Sub().Revision
	const each = 8
	type result struct {
		name, refusal string
		revision      int64
	}
	results := make(chan result, 2*each)
	var group errgroup.Group
	for i := range 2 * each {
		c := life.Command{Name: contract.CommandCancel, Reason: "enough"}
		if i%2 == 1 {
			c = life.Command{Name: contract.CommandReactivate}
		}
		group.Go(func() error {
			performed, err := l.Ask(c)
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
	require.Equal(t, before+int64(changes), l.Sub().Revision)
	for i := range int64(changes) { // they take turns
		require.Equal(t, []string{contract.CommandCancel, contract.CommandReactivate}[i%2], revisions[before+1+i])
	}
	require.Equal(t, changes%2 == 1, l.Sub().CancelAtPeriodEnd)
	updates := 0
	for _, e := range l.Events() {
		if e == string(event.TypeSubscriptionUpdated) {
			updates++
		}
	}
	require.Equal(t, changes, updates, "each change is announced once")
	l.Sound()
}

// A command first performs due work: a command at the boundary finds the new period.
func TestCommand_PerformsDueWorkFirst(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.Clock.Set(scene.Start.AddDate(0, 1, 0))
	out := l.Command(life.CancelNow(""))
	require.Nil(t, out.Refusal)
	inv := l.Invoices()
	require.Len(t, inv, 2)
	l.Until(l.Clock.Now())
	require.Equal(t, payment.Canceled, l.Last().Status)
	l.Sound()
}
