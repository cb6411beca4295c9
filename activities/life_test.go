package activities_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/period"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/internal/id"
	"perennial/providers"
	"perennial/test/life"
	"perennial/test/scene"
)

func TestLife_CreationBillsFirstPeriod(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))

	s := l.Sub()
	require.Equal(t, subscription.Active, s.Status)
	require.Equal(t, scene.Start, s.ActivatedAt)
	require.Equal(t, scene.Start.AddDate(0, 1, 0), s.PaidThrough)
	require.Equal(t, 1, s.NextPeriod)
	require.Equal(t, subscription.ActionRenewal, l.Snap.NextAction)
	require.Equal(t, scene.Start.AddDate(0, 1, 0), l.Snap.NextAt)
	require.Nil(t, l.Snap.Live)

	inv := l.Invoices()
	require.Len(t, inv, 1)
	require.Equal(t, invoice.Create, inv[0].Reason)
	require.Equal(t, invoice.Paid, inv[0].Status)
	require.EqualValues(t, 1, inv[0].Number)
	require.Equal(t, money.Minor(1000), inv[0].AmountPaid)
	require.Equal(t, map[string]int{l.Last().ID: 1}, l.Provider.Captures())
	require.Equal(t, []string{
		"subscription.created", "invoice.created", "invoice.finalized", "payment.success", "invoice.paid",
		"subscription.activated",
	}, l.Events())
	l.Sound()
}

func TestLife_RenewalsFollowAnchor(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Clock.Set(time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC))
	l := life.Begin(t, s, scene.Monthly(1000))
	l.Until(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))

	var ends []string
	for _, i := range l.Invoices() {
		require.Equal(t, invoice.Paid, i.Status)
		ends = append(ends, i.Period.End.Format("01-02 15:04"))
	}
	require.Equal(t, []string{"02-28 09:30", "03-31 09:30", "04-30 09:30", "05-31 09:30", "06-30 09:30"}, ends)
	require.Len(t, l.Provider.Captures(), 5)
	l.Sound()
}

func TestLife_TrialEndBillsFirstPeriod(t *testing.T) {
	t.Parallel()
	p := scene.Monthly(1000)
	p.TrialDays = 14
	l := life.Begin(t, scene.New(t), p)
	require.Equal(t, subscription.Trialing, l.Snap.Status)
	require.Equal(t, subscription.ActionTrialNotice, l.Snap.NextAction)
	l.Until(scene.Start.Add(11*life.Day - time.Second))
	require.Equal(t, []string{"subscription.created"}, l.Events())
	l.Until(scene.Start.Add(14*life.Day - time.Second))
	require.Equal(t, []string{"subscription.created", "subscription.trial_will_end"}, l.Events())
	require.Equal(t, subscription.ActionTrialEnd, l.Snap.NextAction)
	require.Empty(t, l.Invoices())
	require.Equal(t, subscription.Trialing, l.Snap.Status)

	l.Until(scene.Start.Add(14 * life.Day))
	s := l.Sub()
	require.Equal(t, subscription.Active, s.Status)
	require.Equal(t, period.Period{
		Start: scene.Start.Add(14 * life.Day), End: time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC),
	},
		s.CurrentPeriod)
	require.Equal(t, s.CurrentPeriod.End, s.PaidThrough)
	require.Equal(t, []string{
		"subscription.created", "subscription.trial_will_end", "subscription.renewed", "invoice.created", "invoice.finalized",
		"payment.success", "invoice.paid", "subscription.activated",
	}, l.Events())
	l.Sound()
}

func TestLife_FreePlanMakesNoCharge(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(0))
	l.Until(scene.Start.AddDate(0, 3, 0))
	require.Empty(t, l.Transactions())
	require.Empty(t, l.Provider.Calls())
	require.Equal(t, scene.Start.AddDate(0, 4, 0), l.Sub().PaidThrough)
	require.Equal(t, "subscription.activated", l.Events()[1])
	l.Sound()
}

// declining gives a subscription whose first period was paid and whose card fails from then on.
func declining(t testing.TB, options ...scene.Option) *life.Life {
	t.Helper()
	l := life.Begin(t, scene.New(t, options...), scene.Monthly(1000))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	return l
}

func TestLife_PastDueAfterThreeRetries(t *testing.T) {
	t.Parallel()
	l := declining(t)
	renewal := scene.Start.AddDate(0, 1, 0)
	for i, at := range []time.Time{renewal, renewal.Add(life.Day), renewal.Add(3 * life.Day)} {
		l.Until(at)
		require.Equal(t, subscription.Active, l.Snap.Status)
		require.Equal(t, subscription.ActionPaymentRetry, l.Snap.NextAction)
		require.Equal(t, i+1, l.Last().AttemptNumber)
		require.Equal(t, payment.Declined, l.Last().Status)
		require.Equal(t, "INSUFFICIENT_FUNDS", l.Last().FailureCode)
	}
	l.Until(renewal.Add(7 * life.Day))
	require.Equal(t, subscription.PastDue, l.Snap.Status)
	require.Equal(t, subscription.ActionRenewal, l.Snap.NextAction)
	require.Equal(t, renewal.Add(7*life.Day), l.Sub().PastDueAt)
	require.Equal(t, renewal, l.Sub().PaidThrough)
	l.Until(renewal.AddDate(0, 5, 0))
	require.Equal(t, subscription.PastDue, l.Snap.Status)
	require.Len(t, l.Transactions(), 5, "one paid, four tries, then silence")
	require.Len(t, l.Invoices(), 2, "periods that pass while past due are not billed")

	events := l.Events()
	var dunning []string
	for _, e := range events {
		if e == "payment.failed" || e == "subscription.past_due" {
			dunning = append(dunning, e)
		}
	}
	require.Equal(t, []string{
		"payment.failed", "payment.failed", "payment.failed", "payment.failed", "subscription.past_due",
	}, dunning)
	var attempts int
	require.NoError(t, l.Pool.QueryRow(t.Context(),
		"select (data->>'failedPaymentAttempts')::int from events where type = 'subscription.past_due'").Scan(&attempts))
	require.Equal(t, 4, attempts)
	l.Sound()
}

func TestLife_RecoveryBillsOnlyCurrentPeriod(t *testing.T) {
	t.Parallel()
	for name, pays := range map[string]func(*life.Life){
		"pay":            func(l *life.Life) { l.Perform(life.Command{Name: contract.CommandPay}) },
		"another method": func(l *life.Life) { l.SetMethod(l.T, l.Payer.ID, &scene.Card); l.Wake(); l.Until(l.Clock.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := declining(t)
			l.Until(scene.Start.AddDate(0, 4, 10))
			l.Provider.Script = nil
			pays(l)

			require.Equal(t, subscription.Active, l.Snap.Status)
			s := l.Sub()
			require.Equal(t, scene.Start.AddDate(0, 5, 0), s.PaidThrough)
			require.True(t, s.PastDueAt.IsZero())
			inv := l.Invoices()
			require.Len(t, inv, 3, "the unpaid one and the current one")
			require.Equal(t, invoice.Recovery, inv[2].Reason)
			require.Equal(t, scene.Start.AddDate(0, 4, 0), inv[2].Period.Start)
			require.Equal(t, collection.Manual, l.Transactions()[5].Trigger)
			l.Until(scene.Start.AddDate(0, 6, 0))
			require.Equal(t, scene.Start.AddDate(0, 7, 0), l.Sub().PaidThrough, "the anchor is kept")
			l.Sound()
		})
	}
}

// A recovery within the unpaid period pays that period: it is not billed again.
func TestLife_RecoveryWithinUnpaidPeriod(t *testing.T) {
	t.Parallel()
	l := declining(t)
	l.Until(scene.Start.AddDate(0, 1, 10))
	require.Equal(t, subscription.PastDue, l.Snap.Status)
	l.Provider.Script = nil
	l.Perform(life.Command{Name: contract.CommandPay})
	require.Equal(t, subscription.Active, l.Snap.Status)
	require.Len(t, l.Invoices(), 2)
	require.Equal(t, scene.Start.AddDate(0, 2, 0), l.Sub().PaidThrough)
	l.Sound()
}

func TestPay_FailedManualAttemptKeepsSchedule(t *testing.T) {
	t.Parallel()
	l := declining(t)
	renewal := scene.Start.AddDate(0, 1, 0)
	l.Until(renewal.Add(time.Hour))
	before := l.Snap.NextAt
	out := l.Perform(life.Command{Name: contract.CommandPay})
	require.Equal(t, l.Last().ID, out.TransactionID)
	require.Equal(t, payment.Declined, l.Last().Status)
	require.Equal(t, before, l.Snap.NextAt)
	l.Until(renewal.Add(7 * life.Day))
	require.Equal(t, subscription.PastDue, l.Snap.Status)
	require.Len(t, l.Transactions(), 1+4+1)
	l.Sound()
}

func TestLife_WithoutMethodFailsWithoutProviderCall(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Monthly(1000))
	l.SetMethod(t, l.Payer.ID, nil)
	l.Wake()
	calls := len(l.Provider.Calls())
	renewal := scene.Start.AddDate(0, 1, 0)
	l.Until(renewal.Add(7 * life.Day))
	require.Equal(t, subscription.PastDue, l.Snap.Status)
	require.Len(t, l.Provider.Calls(), calls)
	all := l.Transactions()
	require.Len(t, all, 5)
	for _, txn := range all[1:] {
		require.Equal(t, payment.Failed, txn.Status)
		require.Equal(t, "INVALID_ACCOUNT", txn.FailureCode)
		require.Zero(t, txn.SendNumber)
	}
	l.Sound()
}

func TestLife_PastDueTooLongCancels(t *testing.T) {
	t.Parallel()
	l := declining(t, scene.CancelPastDueAfter(10))
	renewal := scene.Start.AddDate(0, 1, 0)
	l.Until(renewal.Add(17*life.Day - time.Second))
	require.Equal(t, subscription.PastDue, l.Snap.Status)
	l.Until(renewal.Add(17 * life.Day))
	require.Equal(t, subscription.Canceled, l.Snap.Status)
	require.Equal(t, "past_due_expired", l.Sub().CancelReason)
	require.True(t, l.Snap.Finished)
	l.Sound()
}

// A daily plan collects unpaid periods faster than it retries.
func TestLife_UnpaidPeriodsAreCollectedOldestFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		options []scene.Option
		open    int
	}{
		"skip":   {nil, 8},
		"accrue": {[]scene.Option{scene.Accrue}, 11},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := life.Begin(t, scene.New(t, c.options...), scene.Every(period.Day, 100))
			l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
			l.Until(scene.Start.Add(11*life.Day + time.Hour)) // unpaid since day 1, past due at day 8
			require.Equal(t, subscription.PastDue, l.Snap.Status)

			inv := l.Invoices()
			require.Len(t, inv, 1+c.open)
			require.Equal(t, collection.Exhausted, inv[1].Collection.Phase)
			for _, i := range inv[2:] {
				require.Equal(t, collection.Waiting, i.Collection.Phase)
			}
			l.Provider.Script = nil
			l.Perform(life.Command{Name: contract.CommandPay})
			require.Equal(t, subscription.Active, l.Snap.Status)
			require.IsIncreasing(t, l.PaidInOrder(), "oldest first")
			require.Equal(t, scene.Start.Add(12*life.Day), l.Sub().PaidThrough)
			for _, i := range l.Invoices() {
				require.Equal(t, invoice.Paid, i.Status)
			}
			l.Sound()
		})
	}
}

// The worker was away for two months: every period is billed, each once.
func TestLife_CatchesUpAfterLongSleep(t *testing.T) {
	t.Parallel()
	l := life.Begin(t, scene.New(t), scene.Every(period.Day, 100))
	l.Clock.Set(scene.Start.Add(60*life.Day + time.Hour))
	for range 10 {
		l.Due()
	}
	require.True(t, l.Snap.NextAt.After(l.Clock.Now()))
	l.Until(l.Clock.Now())
	inv := l.Invoices()
	require.Len(t, inv, 61)
	for _, i := range inv {
		require.Equal(t, invoice.Paid, i.Status)
	}
	require.Len(t, l.Provider.Captures(), 61)
	l.Sound()
}

// Retries of one moment are spread over an hour, each subscription's always to the same second; on a test clock they
// are exact.
func TestLife_RetriesHaveJitter(t *testing.T) {
	t.Parallel()
	s := scene.New(t, func(s *subscription.Settings) { s.Dunning.Retry.MaxJitter = time.Hour })
	s.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	p := scene.Monthly(1000)
	spread := map[time.Duration]bool{}
	for range 4 {
		l := life.Begin(t, s, p)
		late := l.Snap.NextAt.Sub(scene.Start.Add(life.Day))
		require.GreaterOrEqual(t, late, time.Duration(0))
		require.LessOrEqual(t, late, time.Hour)
		spread[late] = true
		p.ID, p.Prices[0].ID = id.New(id.Plan, scene.Start), id.New(id.Price, scene.Start)
	}
	require.Greater(t, len(spread), 1)

	w := life.NewClockwork(t)
	_, err := w.Pool.Exec(t.Context(), "update environments set retry_jitter_seconds = 3600")
	require.NoError(t, err)
	w.Provider.Script = s.Provider.Script
	ref := w.Add(0)
	snap, err := w.Subscriptions.Advance(t.Context(), contract.AdvanceInput{Ref: ref, Now: scene.Start})
	require.NoError(t, err)
	out, err := w.Payments.Charge(t.Context(),
		contract.ResolveInput{EnvironmentID: w.Env, TransactionID: snap.Live.TransactionID, Now: scene.Start})
	require.NoError(t, err)
	require.Equal(t, scene.Start.Add(life.Day), out.Snapshot.NextAt)
}
