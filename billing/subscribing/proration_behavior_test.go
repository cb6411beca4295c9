package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/proration"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

// paidTeam returns a subscription to the plan team in the middle of a paid period of 30 days.
func paidTeam(t *testing.T) (subscription.Subscription, costing.Facts, time.Time) {
	t.Helper()
	s, f, _ := inStatus(subscription.Active)
	s.AnchorAt = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	s.CurrentPeriod = s.Schedule().Period(0)
	s.PaidThrough = s.CurrentPeriod.End
	paid := f.Open[0]
	paid.Status, paid.Period, paid.AmountPaid = invoice.Paid, s.CurrentPeriod, paid.Total
	paid.Lines[0].Period = s.CurrentPeriod
	f.Open, f.Paid = nil, []invoice.Invoice{paid}
	return s, f, s.CurrentPeriod.Start.AddDate(0, 0, 15)
}

func amounts(lines []invoice.Line) (out []money.Minor) {
	for _, l := range lines {
		out = append(out, l.Amount)
	}
	return out
}

func change(
	t *testing.T, s subscription.Subscription, f costing.Facts, c Change, now time.Time,
) (Decision, costing.Facts) {
	t.Helper()
	d, err := With(s, f).ChangePlan(c, now)
	require.NoError(t, err)
	if c.Plan != nil {
		f.Plan = *c.Plan
	}
	return d, f
}

// Waiting prorations are billed with the next period. A change before that reverses them.
func TestChangePlan_ProrationWaits(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	vat := tax.Rate{ID: "txr_1", Name: "VAT", Percent: money.Whole(20)}
	f.Rates, f.Paid[0].Lines[0].Rates = tax.Held{{Rate: vat}}, []tax.Rate{vat}
	f.Paid[0].Tax, f.Paid[0].Total = 200, 1200

	d, f := change(t, s, f, Change{Plan: &pro, Proration: subscription.NextInvoice}, now)
	s = d.Subscription
	require.Empty(t, d.Issue)
	require.Equal(t, pro.ID, s.PlanID)
	require.Equal(t, []money.Minor{-500, 1500}, amounts(s.PendingLines))
	require.Equal(t, "il_1", s.PendingLines[0].Reverses)
	require.Equal(t, []string{"planId", "pendingLines"}, d.Events[1].Data.(event.SubscriptionUpdated).Changed)

	later, f := change(t, s, f, Change{Plan: &team, Proration: subscription.NextInvoice}, now.AddDate(0, 0, 6))
	s = later.Subscription
	require.Equal(t, []money.Minor{-500, 1500, -900, 300}, amounts(s.PendingLines))
	require.Equal(t, s.PendingLines[1].ID, s.PendingLines[2].Reverses)

	renewed, err := With(s, f).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	require.Empty(t, renewed.Subscription.PendingLines)
	require.Equal(t, []money.Minor{1000, -500, 1500, -900, 300}, amounts(renewed.Issue[0].Lines))
	sums, err := renewed.Issue[0].Sums()
	require.NoError(t, err)
	require.Equal(t, money.Minor(1680), sums.Total)
	identified := renewed.Issue[0].Identify(func(n int) string { return string(rune('a' + n)) })
	require.Equal(t, "c", identified.Lines[3].Reverses, "ids that wait become those of the invoice")

	atOnce, _ := change(t, s, f, Change{Plan: &pro}, now.AddDate(0, 0, 9))
	require.Empty(t, atOnce.Subscription.PendingLines, "an invoice at once takes in what waits")
	require.Equal(t, []money.Minor{-500, 1500, -900, 300, -200, 600}, amounts(atOnce.Issue[0].Lines))
}

// Every end of the subscription bills the waiting lines on a last invoice.
func TestEnd_BillsWhatWaits(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	d, f := change(t, s, f, Change{Plan: &pro, Proration: subscription.NextInvoice}, now)
	s = d.Subscription
	scheduled := s
	scheduled.CancelAtPeriodEnd = true
	atEnd, err := With(scheduled, f).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	atOnce, err := With(s, f).Cancel(Cancellation{Immediate: true}, now)
	require.NoError(t, err)
	for _, end := range []Decision{atEnd, atOnce} {
		require.True(t, end.Issue[0].Last)
		require.Equal(t, []money.Minor{-500, 1500}, amounts(end.Issue[0].Lines))
		require.Empty(t, end.Subscription.PendingLines)
		require.Equal(t, period.Period{Start: now, End: s.CurrentPeriod.End}, end.Issue[0].Period, "the time of its lines")
	}
	require.True(t, atEnd.Issue[0].Attempt)
	require.False(t, atOnce.Issue[0].Attempt, "a person ended it, and can ask for the payment")
	older := f
	older.Open = []invoice.Invoice{{ID: "in_0", Status: invoice.Open}}
	atEnd, err = With(scheduled, older).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	require.False(t, atEnd.Issue[0].Attempt, "the oldest is paid first")

	refunded, err := With(s, f).Cancel(Cancellation{Immediate: true, RefundUnused: true}, now.AddDate(0, 0, 6))
	require.NoError(t, err)
	require.Equal(t, []money.Minor{-500, 1500, -900}, amounts(refunded.Issue[0].Lines), "600 of 1500 was used")
}

// An unpaid invoice of the period is replaced at once: its time must not be credited before it is paid.
func TestChangePlan_UnpaidDoesNotWait(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.Active)
	d, _ := change(t, s, f, Change{Plan: &pro, Proration: subscription.NextInvoice}, now)
	require.Equal(t, "in_1", d.Issue[0].Replaces)
	require.Empty(t, d.Subscription.PendingLines)
}

// Without proration the period's invoice stays, and the next prorated change starts from it.
func TestChangePlan_WithoutProration(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	d, f := change(t, s, f, Change{Plan: &pro, Proration: subscription.NoProration}, now)
	s = d.Subscription
	require.Empty(t, d.Issue)
	require.Empty(t, s.PendingLines)
	require.Equal(t, pro.ID, s.PlanID)

	renewed, err := With(s, f).OpenPeriod(s.CurrentPeriod.End)
	require.NoError(t, err)
	require.Equal(t, []money.Minor{3000}, amounts(renewed.Issue[0].Lines))

	dear := pro
	dear.ID, dear.Prices = "plan_dear", prices(6000)
	prorated, _ := change(t, s, f, Change{Plan: &dear}, now.AddDate(0, 0, 6))
	require.Equal(t, []money.Minor{-300, 1800}, amounts(prorated.Issue[0].Lines), "credited is what was billed")
	require.Equal(t, "il_1", prorated.Issue[0].Lines[0].Reverses)
	require.Zero(t, prorated.Subscription.UnproratedIndex)

	refunded, err := With(s, f).Cancel(Cancellation{Immediate: true, RefundUnused: true}, now.AddDate(0, 0, 6))
	require.NoError(t, err)
	require.Equal(t, []money.Minor{-300}, amounts(refunded.Issue[0].Lines))

	s.Status, s.PastDueAt = subscription.PastDue, now
	recovered, err := With(s, costing.Facts{Plan: pro, ItemID: itemID}).Settled(invoice.Invoice{ID: "in_0"}, now)
	require.NoError(t, err)
	require.Empty(t, recovered.Issue, "the period is billed")
}

// A period keeps the measure that it began with. The plan's measure precedes the environment's.
func TestMeasure_OfThePeriod(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	at := now.Add(18 * time.Hour)
	byDay := pro
	byDay.ProrationMeasure = proration.Day
	f.Settings.ProrationMeasure = proration.Fixed30
	d, _ := change(t, s, f, Change{Plan: &byDay}, at)
	require.Equal(t, []money.Minor{-475, 1425}, amounts(d.Issue[0].Lines), "seconds, as the period began")

	s.ProrationMeasure = proration.DayInclusive
	d, f = change(t, s, f, Change{Plan: &byDay}, at)
	require.Equal(t, []money.Minor{-500, 1500}, amounts(d.Issue[0].Lines))
	end, err := With(s, costing.Facts{Plan: team, Paid: f.Paid, ItemID: itemID}).Cancel(
		Cancellation{Immediate: true, RefundUnused: true}, at,
	)
	require.NoError(t, err)
	require.Equal(t, []money.Minor{-467}, amounts(end.Issue[0].Lines), "the day of the end is used")

	for plan, want := range map[string]proration.Measure{"its own": proration.Day, "none": proration.Fixed30} {
		f.Plan = byDay
		if plan == "none" {
			f.Plan = pro
		}
		opened, err := With(d.Subscription, f).OpenPeriod(s.CurrentPeriod.End)
		require.NoError(t, err)
		require.Equal(t, want, opened.Subscription.ProrationMeasure, plan)
	}
}

// A refund left no room for a credit. A later change that reverses the whole period does not give that credit either.
func TestChangePlan_RefusedCreditStaysRefused(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	dear := pro
	dear.ID, dear.Prices = "plan_dear", prices(6000)
	f.GivenBack, f.Paid[0].Number = 1000, 1 // the whole payment was refunded
	d, f := change(t, s, f, Change{Plan: &dear}, now)
	require.Equal(t, []money.Minor{0, 3000}, amounts(d.Issue[0].Lines))
	require.Equal(t, "il_1", d.Issue[0].Lines[0].Reverses)
	issued := d.Issue[0].Identify(func(n int) string { return "il_2" + string(rune('a'+n)) })
	f.Paid = append(f.Paid, invoice.Invoice{
		Number: 2, Status: invoice.Paid, PeriodIndex: s.PeriodIndex, Lines: issued.Lines, Total: 3000, AmountPaid: 3000,
	})
	d, f = change(t, d.Subscription, f, Change{Plan: &pro, Proration: subscription.NoProration}, now)

	d, _ = change(t, d.Subscription, f, Change{Plan: &team}, now)

	require.Equal(t, []money.Minor{-3000, 500}, amounts(d.Issue[0].Lines))
}

// Further changes in a period are invoiced when the row holds its maximum of waiting lines.
func TestChangePlan_TooManyLinesWait(t *testing.T) {
	t.Parallel()
	s, f, now := paidTeam(t)
	waits := func() bool {
		d, _ := change(t, s, f, Change{Plan: &pro, Proration: subscription.NextInvoice}, now)
		require.Equal(t, len(d.Subscription.PendingLines) == 0, len(d.Issue) == 1)
		return len(d.Issue) == 0
	}
	for range maxWaiting - 2 {
		s.PendingLines = append(s.PendingLines, invoice.Line{ID: "pending", Kind: invoice.ProrationCharge})
	}
	require.True(t, waits())
	s.PendingLines = append(s.PendingLines, s.PendingLines[0])
	require.False(t, waits())
}
