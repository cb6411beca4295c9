package activities_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
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
	"perennial/test/scene"
)

func TestLife_CreationBillsFirstPeriod(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))

	s := l.sub()
	require.Equal(t, subscription.Active, s.Status)
	require.Equal(t, scene.Start, s.ActivatedAt)
	require.Equal(t, scene.Start.AddDate(0, 1, 0), s.PaidThrough)
	require.Equal(t, 1, s.NextPeriod)
	require.Equal(t, subscription.ActionRenewal, l.snap.NextAction)
	require.Equal(t, scene.Start.AddDate(0, 1, 0), l.snap.NextAt)
	require.Nil(t, l.snap.Live)

	inv := l.invoices()
	require.Len(t, inv, 1)
	require.Equal(t, invoice.Create, inv[0].Reason)
	require.Equal(t, invoice.Paid, inv[0].Status)
	require.EqualValues(t, 1, inv[0].Number)
	require.Equal(t, money.Minor(1000), inv[0].AmountPaid)
	require.Equal(t, map[string]int{l.last().ID: 1}, l.Provider.Captures())
	require.Equal(t, []string{
		"subscription.created", "invoice.created", "invoice.finalized", "payment.success", "invoice.paid",
		"subscription.activated",
	}, l.events())
	l.sound()
}

func TestLife_RenewalsFollowAnchor(t *testing.T) {
	t.Parallel()
	s := scene.New(t)
	s.Clock.Set(time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC))
	l := begin(t, s, scene.Monthly(1000))
	l.until(time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC))

	var ends []string
	for _, i := range l.invoices() {
		require.Equal(t, invoice.Paid, i.Status)
		ends = append(ends, i.Period.End.Format("01-02 15:04"))
	}
	require.Equal(t, []string{"02-28 09:30", "03-31 09:30", "04-30 09:30", "05-31 09:30", "06-30 09:30"}, ends)
	require.Len(t, l.Provider.Captures(), 5)
	l.sound()
}

func TestLife_TrialEndBillsFirstPeriod(t *testing.T) {
	t.Parallel()
	p := scene.Monthly(1000)
	p.TrialDays = 14
	l := begin(t, scene.New(t), p)
	require.Equal(t, subscription.Trialing, l.snap.Status)
	require.Equal(t, subscription.ActionTrialNotice, l.snap.NextAction)
	l.until(scene.Start.Add(11*day - time.Second))
	require.Equal(t, []string{"subscription.created"}, l.events())
	l.until(scene.Start.Add(14*day - time.Second))
	require.Equal(t, []string{"subscription.created", "subscription.trial_will_end"}, l.events())
	require.Equal(t, subscription.ActionTrialEnd, l.snap.NextAction)
	require.Empty(t, l.invoices())
	require.Equal(t, subscription.Trialing, l.snap.Status)

	l.until(scene.Start.Add(14 * day))
	s := l.sub()
	require.Equal(t, subscription.Active, s.Status)
	require.Equal(t, period.Period{Start: scene.Start.Add(14 * day), End: time.Date(2026, 2, 28, 0, 0, 0, 0, time.UTC)},
		s.CurrentPeriod)
	require.Equal(t, s.CurrentPeriod.End, s.PaidThrough)
	require.Equal(t, []string{
		"subscription.created", "subscription.trial_will_end", "subscription.renewed", "invoice.created", "invoice.finalized",
		"payment.success", "invoice.paid", "subscription.activated",
	}, l.events())
	l.sound()
}

func TestLife_FreePlanMakesNoCharge(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(0))
	l.until(scene.Start.AddDate(0, 3, 0))
	require.Empty(t, l.transactions())
	require.Empty(t, l.Provider.Calls())
	require.Equal(t, scene.Start.AddDate(0, 4, 0), l.sub().PaidThrough)
	require.Equal(t, "subscription.activated", l.events()[1])
	l.sound()
}

// declining gives a subscription whose first period was paid and whose card fails from then on.
func declining(t testing.TB, options ...scene.Option) *life {
	t.Helper()
	l := begin(t, scene.New(t, options...), scene.Monthly(1000))
	l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
	return l
}

func TestLife_PastDueAfterThreeRetries(t *testing.T) {
	t.Parallel()
	l := declining(t)
	renewal := scene.Start.AddDate(0, 1, 0)
	for i, at := range []time.Time{renewal, renewal.Add(day), renewal.Add(3 * day)} {
		l.until(at)
		require.Equal(t, subscription.Active, l.snap.Status)
		require.Equal(t, subscription.ActionPaymentRetry, l.snap.NextAction)
		require.Equal(t, i+1, l.last().AttemptNumber)
		require.Equal(t, payment.Declined, l.last().Status)
		require.Equal(t, "INSUFFICIENT_FUNDS", l.last().FailureCode)
	}
	l.until(renewal.Add(7 * day))
	require.Equal(t, subscription.PastDue, l.snap.Status)
	require.Equal(t, subscription.ActionRenewal, l.snap.NextAction)
	require.Equal(t, renewal.Add(7*day), l.sub().PastDueAt)
	require.Equal(t, renewal, l.sub().PaidThrough)
	l.until(renewal.AddDate(0, 5, 0))
	require.Equal(t, subscription.PastDue, l.snap.Status)
	require.Len(t, l.transactions(), 5, "one paid, four tries, then silence")
	require.Len(t, l.invoices(), 2, "periods that pass while past due are not billed")

	events := l.events()
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
	l.sound()
}

func TestLife_RecoveryBillsOnlyCurrentPeriod(t *testing.T) {
	t.Parallel()
	for name, pays := range map[string]func(*life){
		"pay":            func(l *life) { l.perform(command{Name: contract.CommandPay}) },
		"another method": func(l *life) { l.SetMethod(l.t, l.customer.ID, &scene.Card); l.wake(); l.until(l.Clock.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := declining(t)
			l.until(scene.Start.AddDate(0, 4, 10))
			l.Provider.Script = nil
			pays(l)

			require.Equal(t, subscription.Active, l.snap.Status)
			s := l.sub()
			require.Equal(t, scene.Start.AddDate(0, 5, 0), s.PaidThrough)
			require.True(t, s.PastDueAt.IsZero())
			inv := l.invoices()
			require.Len(t, inv, 3, "the unpaid one and the current one")
			require.Equal(t, invoice.Recovery, inv[2].Reason)
			require.Equal(t, scene.Start.AddDate(0, 4, 0), inv[2].Period.Start)
			require.Equal(t, collection.Manual, l.transactions()[5].Trigger)
			l.until(scene.Start.AddDate(0, 6, 0))
			require.Equal(t, scene.Start.AddDate(0, 7, 0), l.sub().PaidThrough, "the anchor is kept")
			l.sound()
		})
	}
}

// Whoever recovers within the period that he did not pay has paid it: it is not billed again.
func TestLife_RecoveryWithinUnpaidPeriod(t *testing.T) {
	t.Parallel()
	l := declining(t)
	l.until(scene.Start.AddDate(0, 1, 10))
	require.Equal(t, subscription.PastDue, l.snap.Status)
	l.Provider.Script = nil
	l.perform(command{Name: contract.CommandPay})
	require.Equal(t, subscription.Active, l.snap.Status)
	require.Len(t, l.invoices(), 2)
	require.Equal(t, scene.Start.AddDate(0, 2, 0), l.sub().PaidThrough)
	l.sound()
}

func TestPay_FailedManualAttemptKeepsSchedule(t *testing.T) {
	t.Parallel()
	l := declining(t)
	renewal := scene.Start.AddDate(0, 1, 0)
	l.until(renewal.Add(time.Hour))
	before := l.snap.NextAt
	out := l.perform(command{Name: contract.CommandPay})
	require.Equal(t, l.last().ID, out.TransactionID)
	require.Equal(t, payment.Declined, l.last().Status)
	require.Equal(t, before, l.snap.NextAt)
	l.until(renewal.Add(7 * day))
	require.Equal(t, subscription.PastDue, l.snap.Status)
	require.Len(t, l.transactions(), 1+4+1)
	l.sound()
}

func TestLife_WithoutMethodFailsWithoutProviderCall(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Monthly(1000))
	l.SetMethod(t, l.customer.ID, nil)
	l.wake()
	calls := len(l.Provider.Calls())
	renewal := scene.Start.AddDate(0, 1, 0)
	l.until(renewal.Add(7 * day))
	require.Equal(t, subscription.PastDue, l.snap.Status)
	require.Len(t, l.Provider.Calls(), calls)
	all := l.transactions()
	require.Len(t, all, 5)
	for _, txn := range all[1:] {
		require.Equal(t, payment.Failed, txn.Status)
		require.Equal(t, "INVALID_ACCOUNT", txn.FailureCode)
		require.Zero(t, txn.SendNumber)
	}
	l.sound()
}

func TestLife_PastDueTooLongCancels(t *testing.T) {
	t.Parallel()
	l := declining(t, scene.CancelPastDueAfter(10))
	renewal := scene.Start.AddDate(0, 1, 0)
	l.until(renewal.Add(17*day - time.Second))
	require.Equal(t, subscription.PastDue, l.snap.Status)
	l.until(renewal.Add(17 * day))
	require.Equal(t, subscription.Canceled, l.snap.Status)
	require.Equal(t, "past_due_expired", l.sub().CancelReason)
	require.True(t, l.snap.Finished)
	l.sound()
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
			l := begin(t, scene.New(t, c.options...), scene.Every(period.Day, 100))
			l.Provider.Script = func(int, providers.ChargeRequest) scene.Answer { return scene.Decline }
			l.until(scene.Start.Add(11*day + time.Hour)) // unpaid since day 1, past due at day 8
			require.Equal(t, subscription.PastDue, l.snap.Status)

			inv := l.invoices()
			require.Len(t, inv, 1+c.open)
			require.Equal(t, collection.Exhausted, inv[1].Collection.Phase)
			for _, i := range inv[2:] {
				require.Equal(t, collection.Waiting, i.Collection.Phase)
			}
			l.Provider.Script = nil
			l.perform(command{Name: contract.CommandPay})
			require.Equal(t, subscription.Active, l.snap.Status)
			require.IsIncreasing(t, l.paidInOrder(), "oldest first")
			require.Equal(t, scene.Start.Add(12*day), l.sub().PaidThrough)
			for _, i := range l.invoices() {
				require.Equal(t, invoice.Paid, i.Status)
			}
			l.sound()
		})
	}
}

// paidInOrder lists the numbers of the subscription's invoices as they were paid.
func (l *life) paidInOrder() []int64 {
	l.t.Helper()
	rows, err := l.Pool.Query(l.t.Context(), `select i.number from events e join invoices i on i.id = e.object_id
		where e.type = 'invoice.paid' and e.subscription_id = $1 order by e.sequence`, l.ref.ID)
	require.NoError(l.t, err)
	numbers, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	require.NoError(l.t, err)
	return numbers
}

// The worker was away for two months: every period is billed, each once.
func TestLife_CatchesUpAfterLongSleep(t *testing.T) {
	t.Parallel()
	l := begin(t, scene.New(t), scene.Every(period.Day, 100))
	l.Clock.Set(scene.Start.Add(60*day + time.Hour))
	for range 10 {
		l.due()
	}
	require.True(t, l.snap.NextAt.After(l.Clock.Now()))
	l.until(l.Clock.Now())
	inv := l.invoices()
	require.Len(t, inv, 61)
	for _, i := range inv {
		require.Equal(t, invoice.Paid, i.Status)
	}
	require.Len(t, l.Provider.Captures(), 61)
	l.sound()
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
		l := begin(t, s, p)
		late := l.snap.NextAt.Sub(scene.Start.Add(day))
		require.GreaterOrEqual(t, late, time.Duration(0))
		require.LessOrEqual(t, late, time.Hour)
		spread[late] = true
		p.ID, p.Prices[0].ID = id.New(id.Plan, scene.Start), id.New(id.Price, scene.Start)
	}
	require.Greater(t, len(spread), 1)

	w := newClockwork(t)
	_, err := w.Pool.Exec(t.Context(), "update environments set retry_jitter_seconds = 3600")
	require.NoError(t, err)
	w.Provider.Script = s.Provider.Script
	ref := w.subscribe(0)
	snap, err := w.Subscriptions.Advance(t.Context(), contract.AdvanceInput{Ref: ref, Now: scene.Start})
	require.NoError(t, err)
	out, err := w.Payments.Charge(t.Context(),
		contract.ResolveInput{EnvironmentID: w.Env, TransactionID: snap.Live.TransactionID, Now: scene.Start})
	require.NoError(t, err)
	require.Equal(t, scene.Start.Add(day), out.Snapshot.NextAt)
}
