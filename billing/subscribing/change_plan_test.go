package subscribing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/costing"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/subscription"
)

func TestChangePlan_NoCreditForUnbilledTime(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(subscription.Active)
	f.Open = nil

	d, err := With(s, f).ChangePlan(Change{Plan: &pro}, s.CurrentPeriod.Start)

	require.NoError(t, err)
	require.Len(t, d.Issue[0].Lines, 1)
	require.Equal(t, invoice.ProrationCharge, d.Issue[0].Lines[0].Kind)
}

// Credits are never repeated, and never exceed the billed amount.
func TestChangePlan_CreditIsAtMostBilled(t *testing.T) {
	t.Parallel()
	credit := func(l invoice.Line) invoice.Line {
		l.ID, l.Kind, l.Amount, l.Reverses = "il_2", invoice.ProrationCredit, -400, l.ID
		return l
	}
	for name, c := range map[string]struct {
		change func(lines []invoice.Line) []invoice.Line
		want   money.Minor
	}{
		"as billed":   {func(l []invoice.Line) []invoice.Line { return l }, 1000},
		"was dearer":  {func(l []invoice.Line) []invoice.Line { l[0].Amount = 1200; return l }, 1000},
		"was cheaper": {func(l []invoice.Line) []invoice.Line { l[0].Amount = 200; return l }, 200},
		"credited":    {func(l []invoice.Line) []invoice.Line { return append(l, credit(l[0])) }, 0},
		"credited, by a line for all of the plan": {func(l []invoice.Line) []invoice.Line {
			all := credit(l[0])
			all.Reverses, all.PriceID, all.ItemID = "", "", ""
			return append(l, all)
		}, 0},
		"of another item":   {func(l []invoice.Line) []invoice.Line { l[0].ItemID = "si_other"; return l }, 0},
		"of another period": {func(l []invoice.Line) []invoice.Line { l[0].PeriodIndex = 7; return l }, 0},
		"billed again": {func(l []invoice.Line) []invoice.Line {
			again := l[0]
			again.ID, again.Kind, again.Amount = "il_3", invoice.ProrationCharge, 300
			return append(l, credit(l[0]), again)
		}, 300},
	} {
		s, f, _ := inStatus(subscription.Active)
		paid := f.Open[0]
		paid.Lines = c.change(paid.Lines)
		f.Open, f.Paid = nil, []invoice.Invoice{paid}

		d, err := With(s, f).ChangePlan(Change{Plan: &pro}, s.CurrentPeriod.Start)

		require.NoError(t, err)
		var credited money.Minor
		for _, l := range d.Issue[0].Lines {
			if l.Kind == invoice.ProrationCredit {
				credited -= l.Amount
				require.Contains(t, []string{"il_1", "il_3"}, l.Reverses)
				require.Equal(t, paid.Lines[0].PriceID, l.PriceID)
			}
		}
		require.Equal(t, c.want, credited, name)
	}
}

// A charge that rounds to zero still needs an invoice. Otherwise recovery would charge for the whole period.
func TestChangePlan_ChargeOfZeroIsAnInvoice(t *testing.T) {
	t.Parallel()
	cent := plan.Plan{ID: "plan_cent", Name: "Cent", Currency: "EUR", Interval: month, Active: true, Prices: prices(1)}
	s, f, now := inStatus(subscription.Active)
	f.Plan, f.Open = free, nil
	s.PlanID = free.ID
	s = With(s, f).Itemized()

	d, err := With(s, f).ChangePlan(Change{Plan: &cent}, now)

	require.NoError(t, err)
	require.Len(t, d.Issue, 1)
	out, err := d.Issue[0].Issue(invoice.Issuing{Now: now})
	require.NoError(t, err)
	require.Empty(t, out.Credit)
	require.Zero(t, out.Invoice.Total)
	require.Equal(t, invoice.Paid, out.Invoice.Status)
}

// The boundary has passed and no period is open: the old period was skipped, and the renewal bills the next one.
func TestSettled_AfterPeriodEndIssuesNothing(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(subscription.PastDue)
	f.Open = nil
	paid := invoice.Invoice{ID: "in_0", Status: invoice.Paid}
	for at, want := range map[time.Time]int{s.CurrentPeriod.End.Add(-1): 1, s.CurrentPeriod.End: 0} {
		d, err := With(s, f).Settled(paid, at)
		require.NoError(t, err)
		require.Equal(t, subscription.Active, d.Subscription.Status)
		require.Len(t, d.Issue, want)
	}
}

// An invoice of usage alone pays for no period: its payment ends the overdue status, but is no activation.
func TestSettled_UsageActivatesNothing(t *testing.T) {
	t.Parallel()
	s, f, now := inStatus(subscription.PastDue)
	f.Open = nil
	for reason, activates := range map[invoice.Reason]bool{invoice.Usage: false, invoice.Cycle: true} {
		s.ActivatedAt = time.Time{}
		d, err := With(s, f).Settled(invoice.Invoice{ID: "in_0", Status: invoice.Paid, Reason: reason}, now)
		require.NoError(t, err)
		require.Equal(t, subscription.Active, d.Subscription.Status)
		require.Equal(t, activates, !d.Subscription.ActivatedAt.IsZero(), reason)
		s.ActivatedAt = created
		d, err = With(s, f).Settled(invoice.Invoice{ID: "in_0", Status: invoice.Paid, Reason: reason}, now)
		require.NoError(t, err)
		require.Equal(t, created, d.Subscription.ActivatedAt, "it was activated before")
	}
}

// An invoice that a person gave up was not paid. Its own credits count all the same, and are not repeated.
func TestChangePlan_NoCreditOnInvoiceGivenUp(t *testing.T) {
	t.Parallel()
	s, f, _ := inStatus(subscription.Active)
	given := f.Open[0]
	given.Status = invoice.Uncollectible
	paid := f.Open[0].Settle(s.CurrentPeriod.Start)
	paid.Number, given.Number = 1, 2
	credit := invoice.Line{ID: "il_2", Kind: invoice.ProrationCredit, Amount: -400, Reverses: "il_1", PeriodIndex: 1}
	for name, facts := range map[string]costing.Facts{
		"which bills the time": {WrittenOff: []invoice.Invoice{given}},
		"which credits the time": {
			Paid: []invoice.Invoice{paid}, WrittenOff: []invoice.Invoice{{Number: 2, Lines: []invoice.Line{credit}}},
		},
	} {
		facts.Plan, facts.ItemID = f.Plan, f.ItemID

		d, err := With(s, facts).ChangePlan(Change{Plan: &pro}, s.CurrentPeriod.Start)

		require.NoError(t, err)
		require.Len(t, d.Issue[0].Lines, 1, name)
		require.Equal(t, invoice.ProrationCharge, d.Issue[0].Lines[0].Kind, name)
	}
}

// A change between plans without prices in advance, which have no items, is a change of plan: also a migration to a
// version, and one to an interval that restarts the period.
func TestChangePlan_WithoutPricesInAdvance(t *testing.T) {
	t.Parallel()
	arrears := func(p plan.Plan) plan.Plan {
		p.Prices = []plan.Price{plan.Flat(p.ID+"_fee", "", 500)}
		p.Prices[0].Arrears = true
		return p
	}
	was, is := arrears(team), arrears(pro)
	version := was
	version.Version++
	yearly := is
	yearly.Interval = period.Interval{Unit: period.Year, Count: 1}
	for name, c := range map[string]struct {
		decide   func(s Situation, now time.Time) (Decision, error)
		want     plan.Ref
		restarts bool
	}{
		"a change": {func(s Situation, now time.Time) (Decision, error) {
			return s.ChangePlan(Change{Plan: &is}, now)
		}, is.Ref(), false},
		"a change without proration": {func(s Situation, now time.Time) (Decision, error) {
			return s.ChangePlan(Change{Plan: &is, Proration: subscription.NoProration}, now)
		}, is.Ref(), false},
		"another version": {func(s Situation, now time.Time) (Decision, error) {
			return s.Migrate(Migration{To: version}, now)
		}, version.Ref(), false},
		"another interval": {func(s Situation, now time.Time) (Decision, error) {
			return s.ChangePlan(Change{Plan: &yearly}, now)
		}, yearly.Ref(), true},
	} {
		s, f, _ := inStatus(subscription.Active)
		s.SetPlan(was.Ref())
		s.Items, f.Plan, f.Open = nil, was, nil
		now := s.CurrentPeriod.Start.Add(time.Hour)

		d, err := c.decide(With(s, f), now)

		require.NoError(t, err, name)
		require.Equal(t, c.want, d.Subscription.Plan(), name)
		require.Empty(t, d.Issue, name)
		require.NotEmpty(t, fieldsOf(d), name)
		require.Equal(t, c.restarts, d.Subscription.CurrentPeriod.Start.Equal(now), name)
	}
}
