package costing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
	"perennial/billing/tax"
)

var vat = []tax.Rate{{ID: "txr_1", Name: "VAT", Percent: money.Whole(20)}}

// An amount that a credit note gave back is not kept any more, with its taxes; money of it is in GivenBack as well and
// counts once. Credit for an earlier period was not kept of this one.
func TestRetained_WithCreditNotes(t *testing.T) {
	t.Parallel()
	s := subscription.Subscription{PeriodIndex: 3, RenewedIndex: 2}
	of := func(index int, amount, credited money.Minor) invoice.Line {
		return invoice.Line{PeriodIndex: index, Amount: amount, Credited: credited, Rates: vat}
	}
	for name, c := range map[string]struct {
		lines     []invoice.Line
		credited  invoice.Credited
		givenBack money.Minor
		want      invoice.Creditable
	}{
		"none": {[]invoice.Line{of(3, 1000, 0)}, invoice.Credited{}, 0, invoice.Creditable{Total: 1200, Tax: 200}},
		"to the balance": {
			[]invoice.Line{of(3, 1000, 250)}, invoice.Credited{Total: 300, Tax: 50}, 0,
			invoice.Creditable{Total: 900, Tax: 150},
		},
		"in money": {
			[]invoice.Line{of(3, 1000, 250)}, invoice.Credited{Total: 300, Tax: 50, Refund: 300}, 300,
			invoice.Creditable{Total: 900, Tax: 150},
		},
		"and more money": {
			[]invoice.Line{of(3, 1000, 250)}, invoice.Credited{Total: 300, Tax: 50, Refund: 300}, 500,
			invoice.Creditable{Total: 700, Tax: 150},
		},
		"of an earlier period": {
			[]invoice.Line{of(3, 1000, 0), of(1, 2000, 500)}, invoice.Credited{Total: 600, Tax: 100}, 0,
			invoice.Creditable{Total: 1200, Tax: 200},
		},
		// Of the 2400 of the earlier period 600 went back by the note: it bears 1800 of the other money.
		"and more money than that period keeps": {
			[]invoice.Line{of(3, 1000, 0), of(1, 2000, 500)}, invoice.Credited{Total: 600, Tax: 100}, 1900,
			invoice.Creditable{Total: 1100, Tax: 200},
		},
	} {
		inv := invoice.Invoice{PeriodIndex: 3, Status: invoice.Paid, Lines: c.lines, Credited: c.credited}
		for _, l := range c.lines {
			inv.Total, inv.Tax = inv.Total+l.Amount*12/10, inv.Tax+l.Amount*2/10
		}
		f := Facts{Paid: []invoice.Invoice{inv}, GivenBack: c.givenBack}
		require.Equal(t, c.want, Period{s, f}.retained(), name)
	}
	credits := []invoice.Line{of(1, -500, 0), of(3, -1000, 0)}
	require.Equal(t, invoice.Creditable{Total: 600, Tax: 100}, spanning(s.RenewedIndex).credited(credits))
	require.Zero(t, spanning(s.RenewedIndex).credited([]invoice.Line{of(1, 500, 0)}), "a charge gives nothing back")
	kept := Period{s, Facts{Paid: []invoice.Invoice{
		{PeriodIndex: 3, Status: invoice.Paid, Total: 1200, Tax: 200, Lines: []invoice.Line{of(3, 1000, 0)}},
	}}}
	require.Equal(t, invoice.Creditable{Total: 1800, Tax: 300}, kept.creditable(credits), "and what was bounded before")
}

// Money for an amount brought forward was not for this period, and neither was an amount that a credit note took off
// the amount due.
func TestOverpaid(t *testing.T) {
	t.Parallel()
	s := Period{Subscription: subscription.Subscription{PeriodIndex: 3, RenewedIndex: 2}}
	for name, c := range map[string]struct {
		inv  invoice.Invoice
		want money.Minor
	}{
		"as it came to": {invoice.Invoice{PeriodIndex: 3, Total: 1000, AmountPaid: 1000}, 0},
		"with what was carried": {
			invoice.Invoice{PeriodIndex: 3, Total: 1000, AmountPaid: 1200, BroughtForward: 200}, 0,
		},
		"less credit": {invoice.Invoice{PeriodIndex: 3, Total: 1000, AmountPaid: 600}, -400},
		"less what was taken off": {
			invoice.Invoice{PeriodIndex: 3, Total: 1000, AmountPaid: 700, Credited: invoice.Credited{Due: 300}}, 0,
		},
		"of a period that is over": {invoice.Invoice{PeriodIndex: 1, Total: 1000, AmountPaid: 600}, 0},
	} {
		require.Equal(t, c.want, s.overpaid([]invoice.Invoice{c.inv}), name)
	}
}

func TestSpanned(t *testing.T) {
	t.Parallel()
	of := func(from, to int) invoice.Line {
		return invoice.Line{Period: period.Period{Start: november.AddDate(0, 0, from), End: november.AddDate(0, 0, to)}}
	}
	for _, lines := range [][]invoice.Line{
		{of(10, 20), of(5, 25), of(12, 15)}, {of(5, 9), of(6, 25)}, {of(9, 25), of(5, 8), of(7, 25)}, {of(5, 25)},
	} {
		require.Equal(t, of(5, 25).Period, spanned(lines))
	}
	require.Zero(t, spanned(nil))
}

// An amount that a coupon takes off once per period is taken off no more once lines of the period have all of it.
func TestDiscounted_AmountThatIsUsedUp(t *testing.T) {
	t.Parallel()
	s := opened(flat("a", 1000), 1, "")
	s.Discounts = subscription.Discounts{{CouponID: "coup_1", Terms: amountOff(300), From: 1}}
	lines, err := s.WholePeriod(s.Items, s.Facts.Plan)
	require.NoError(t, err)
	for has, want := range map[money.Minor]invoice.Shares{
		0: {{CouponID: "coup_1", Amount: 300}}, 299: {{CouponID: "coup_1", Amount: 1}}, 300: nil, 400: nil,
	} {
		taken := invoice.Shares{{CouponID: "coup_1", Amount: has}}
		with := []invoice.Line{{PeriodIndex: 1, Amount: 1000, Discounts: taken}}
		out, err := s.Discounted(with, lines)
		require.NoError(t, err)
		require.Len(t, out, 1)
		require.Equal(t, want, out[0].Discounts, "%d", has)
	}
}

func TestInCollection(t *testing.T) {
	t.Parallel()
	of := func(status invoice.Status, phase collection.Phase) Facts {
		return Facts{Open: []invoice.Invoice{{ID: "in_1", Status: status, Collection: collection.State{Phase: phase}}}}
	}
	require.True(t, of(invoice.Open, collection.Charging).InCollection("in_2"))
	require.False(t, of(invoice.Open, collection.Charging).InCollection("in_1"), "it is the one that is paid")
	require.False(t, of(invoice.Open, collection.Waiting).InCollection("in_2"))
	require.False(t, of(invoice.Uncollectible, collection.Charging).InCollection("in_2"))
	require.False(t, of(invoice.Uncollectible, collection.Charging).InCollection("in_1"))
}

// Unused time is worth the kept part of its line, whatever a credit note gave back of another line of the same invoice.
func TestUnusedTime_AfterACreditNote(t *testing.T) {
	t.Parallel()
	for credited, want := range map[money.Minor]money.Minor{0: 500, 400: 500, 600: 400, 1000: 0} {
		s := opened(flat("a", 1000), 1, proration.Day)
		lines, err := s.WholePeriod(s.Items, s.Facts.Plan)
		require.NoError(t, err)
		s.paid(lines)
		s.Facts.Paid[0].Credited.Total = credited // of an amount that no line names
		left, err := s.UnusedTime(s.Items, halfOfNovember(t, s), november.AddDate(0, 0, 15))
		require.NoError(t, err)
		require.Equal(t, want, left.Credit, "%d", credited)
	}
}

// A limited credit has the discounts of its own line.
func TestUnusedTime_LimitedCreditHasItsOwnDiscounts(t *testing.T) {
	t.Parallel()
	of := flat("a", 1000)
	other := flat("b", 1000)
	of.Prices = append(of.Prices, other.Prices...)
	s := opened(of, 1, proration.Day)
	lines, err := s.WholePeriod(s.Items, of)
	require.NoError(t, err)
	lines[0].Discounts = invoice.Shares{{CouponID: "coup_1", Amount: 500}}
	s.paid(lines)
	s.Facts.GivenBack = 1000 // 500 of 1500 are kept
	left, err := s.UnusedTime(s.Items, halfOfNovember(t, s), november.AddDate(0, 0, 15))
	require.NoError(t, err)
	require.Len(t, left.Lines, 2)
	require.Equal(t, money.Minor(-250), left.Lines[0].Net())
	require.Equal(t, money.Minor(-250), left.Lines[0].Discounts.Of("coup_1"))
	require.Equal(t, money.Minor(-250), left.Lines[1].Net())
	require.Empty(t, left.Lines[1].Discounts)
}

// A credit that rounds to nothing is left out, unless the line alone would be credited more later.
func TestCredits_OfNothing(t *testing.T) {
	t.Parallel()
	of := func(amount money.Minor) (Period, []invoice.Invoice) {
		s := opened(flat("a", amount), 1, proration.Day)
		lines, err := s.WholePeriod(s.Items, s.Facts.Plan)
		require.NoError(t, err)
		s.paid(lines)
		return s, s.Facts.Paid
	}
	s, issued := of(1)
	last := proration.Span{From: 29, To: 30, Length: 30}
	credits, err := s.credits(issued, s.Items, Left{Span: last}, november.AddDate(0, 0, 29))
	require.NoError(t, err)
	require.Empty(t, credits)
	s.UnproratedIndex = 1 // all billed amounts are taken back, line by line
	credits, err = s.credits(issued, s.Items, Left{Span: last}, november.AddDate(0, 0, 29))
	require.NoError(t, err)
	require.Empty(t, credits)
	credits, err = s.credits(
		issued, s.Items, Left{Span: proration.Span{From: 14, To: 30, Length: 30}}, november.AddDate(0, 0, 14))
	require.NoError(t, err)
	require.Len(t, credits, 1)
	require.Equal(t, money.Minor(-1), credits[0].Amount)

	// The item costs nothing any more that the line bills all the same.
	s, issued = of(1000)
	s.Facts.Plan.Prices[0].Amount = 0
	credits, err = s.credits(issued, s.Items, Left{Span: last}, november.AddDate(0, 0, 29))
	require.NoError(t, err)
	require.Len(t, credits, 1)
	require.Zero(t, credits[0].Amount)
	require.Equal(t, "il_1_0", credits[0].Reverses)
}

// A credit of an earlier period that waits was bounded when it was made: unused time of this one may still have the
// whole kept amount of this one.
func TestUnusedTime_BesideACreditThatWaits(t *testing.T) {
	t.Parallel()
	s := opened(flat("a", 1000), 1, proration.Day)
	s.PeriodIndex, s.RenewedIndex = 2, 2
	lines, err := s.WholePeriod(s.Items, s.Facts.Plan)
	require.NoError(t, err)
	s.paid(lines)
	s.PendingLines = []invoice.Line{{Kind: invoice.ProrationCredit, PeriodIndex: 1, Amount: -300}}
	for givenBack, want := range map[money.Minor]money.Minor{0: 500, 500: 500, 600: 400, 1000: 0} {
		s.Facts.GivenBack = givenBack
		left, err := s.UnusedTime(s.Items, halfOfNovember(t, s), november.AddDate(0, 0, 15))
		require.NoError(t, err)
		require.Equal(t, want, left.Credit, "%d", givenBack)
	}
}

// A line that begins on the last day, or outside of the period, has no part of the rest of the period.
func TestShare_OfALineWithoutTime(t *testing.T) {
	t.Parallel()
	s := opened(flat("a", 1000), 1, proration.Day)
	noon := november.Add(12 * time.Hour)
	s.AnchorAt, s.CurrentPeriod = noon, period.Period{Start: noon, End: noon.AddDate(0, 1, 0)}
	left := proration.Span{From: 15, To: 30, Length: 30}
	for hours, want := range map[int]money.Minor{0: 500, 15 * 24: 1000, 29 * 24: 1000, 30*24 - 6: 0, 30 * 24: 0, -1: 0} {
		line := invoice.Line{Amount: 1000}
		line.Period = period.Period{Start: noon.Add(time.Duration(hours) * time.Hour), End: s.CurrentPeriod.End}
		_, amount := s.share(line, s.Whole(), left)
		require.Equal(t, want, amount, "from hour %d on", hours)
	}
}

// Nothing may stop the invoice that lines wait for, neither on the pending plan nor on the plan of the present change.
func TestWait_ChecksEachPlanThatMayBillThem(t *testing.T) {
	t.Parallel()
	dear := flat("b", money.MaxMinor)
	for name, c := range map[string]struct {
		pending *plan.Plan
		on      plan.Plan
		code    string
	}{
		"neither":    {nil, flat("a", 1000), ""},
		"now":        {nil, dear, tooLarge},
		"at the end": {&dear, flat("a", 1000), tooLarge},
	} {
		s := opened(flat("a", 1000), 1, "")
		s.Facts.Pending = c.pending
		lines := []invoice.Line{{ID: "il_1", Amount: 1}, {Amount: 1}}
		require.Equal(t, c.code, code(s.Wait(lines, c.on)), name)
		require.Equal(t, []string{"il_1", "pending_1"}, []string{lines[0].ID, lines[1].ID})
	}
}

func TestCovered_ByLinesThatWait(t *testing.T) {
	t.Parallel()
	s := opened(flat("a", 1000), 1, "")
	s.PeriodIndex = 2
	require.False(t, s.Covered())
	s.PendingLines = []invoice.Line{{PeriodIndex: 1}}
	require.False(t, s.Covered(), "of an earlier period")
	s.PendingLines = append(s.PendingLines, invoice.Line{PeriodIndex: 2})
	require.True(t, s.Covered())
}

// halfOfNovember returns the span that is left of the period on the 16th.
func halfOfNovember(t *testing.T, s Period) Left {
	t.Helper()
	rest, err := s.Rest(november.Add(15*24*time.Hour + time.Hour))
	require.NoError(t, err)
	require.Equal(t, int64(15), rest.Units())
	return rest
}
