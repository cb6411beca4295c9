package costing

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/proration"
	"perennial/billing/subscription"
)

var (
	quarterly = period.Interval{Unit: period.Month, Count: 3}
	yearly    = period.Interval{Unit: period.Year, Count: 1}

	yearEnd = november.AddDate(1, 0, 0)
)

// each is a plan that is billed by an interval of its own.
func each(every period.Interval, p plan.Plan) plan.Plan {
	p.Interval = every
	return p
}

// inJanuary is a monthly subscription in its third period, with add-ons by the quarter and the year from November on.
func inJanuary() Period {
	s := opened(flat("a", 1000), 1, proration.Day)
	january := november.AddDate(0, 2, 0)
	s.PeriodIndex, s.NextPeriod = 3, 3
	s.CurrentPeriod = period.Period{Start: january, End: january.AddDate(0, 1, 0)}
	s.beside(each(quarterly, flat("quarter", 3000)))
	s.beside(each(yearly, flat("year", 12_000)))
	return s
}

// bills is a line of the item for a price that ends at an instant.
func bills(kind invoice.LineKind, id string, from, end time.Time, amount money.Minor) invoice.Line {
	return invoice.Line{
		ID: "il_" + id, ItemID: "si_price_" + id, PriceID: "price_" + id, PlanID: "plan_" + id, PeriodIndex: 3,
		Kind: kind, Amount: amount, Period: period.Period{Start: from, End: end},
	}
}

// A year that is paid is not billed again with a month, also where the month is on another plan, which moves nothing.
func TestRenewsFor_NothingForAYearThatIsPaid(t *testing.T) {
	t.Parallel()
	year := bills(invoice.Recurring, "year", november, yearEnd, 12_000)
	for name, c := range map[string]struct {
		paid []invoice.Line
		next plan.Plan
		want money.Minor
	}{
		"the same plan":          {[]invoice.Line{year}, flat("a", 1000), 4000}, // the quarter begins in February
		"another plan":           {[]invoice.Line{year}, flat("b", 2000), 5000},
		"a year that is owed":    {nil, flat("a", 1000), 4000 + 8975}, // 273 of 365 days from February on
		"owed, and another plan": {nil, flat("b", 2000), 5000 + 8975},
	} {
		s := inJanuary()
		s.paid(c.paid)
		if c.next.ID != s.PlanID {
			s.Facts.Pending = &c.next
			s.PendingPlanID, s.PendingPlanVersion = c.next.ID, c.next.Version
		}
		amount, err := s.RenewsFor(c.next)
		require.NoError(t, err)
		require.Equal(t, c.want, amount, name)
	}
}

// An interval of the same length counts at once, under the name that the plan has for it.
func TestCounts(t *testing.T) {
	t.Parallel()
	twelve := period.Interval{Unit: period.Month, Count: 12}
	weekly := period.Interval{Unit: period.Week, Count: 1}
	for name, c := range map[string]struct {
		now, next, want period.Interval
		begins          bool
		code            string
	}{
		"a longer one waits":         {monthly, yearly, monthly, false, ""},
		"a longer one begins":        {monthly, yearly, yearly, true, ""},
		"a shorter one":              {yearly, monthly, monthly, false, ""},
		"the same length":            {twelve, yearly, yearly, false, ""},
		"a week, which is no part":   {monthly, weekly, monthly, false, "add_ons_other_interval"},
		"a week that begins with it": {monthly, weekly, weekly, true, ""},
	} {
		s := opened(each(c.now, flat("a", 1000)), 1, "")
		s.Interval = c.now
		every, err := s.Counts(Target{Plan: each(c.next, flat("b", 1000)), Quantity: 1}, c.begins)
		require.Equal(t, c.code, code(err), name)
		if c.code == "" {
			require.Equal(t, c.want, every, name)
		}
	}
}

// After a change that was not prorated, the lines of longer own periods stay with their items.
func TestUnprorated_LeavesLongerPeriods(t *testing.T) {
	t.Parallel()
	s := inJanuary()
	month := bills(invoice.Recurring, "before", s.CurrentPeriod.Start, s.CurrentPeriod.End, 1000)
	year := bills(invoice.Recurring, "year", november, yearEnd, 12_000)
	s.paid([]invoice.Line{month, year})
	month.ID = "il_1_0"
	require.Equal(t, []invoice.Line{month}, unprorated(s, s.Facts.Paid))
}

// Only an own period that began before the current one goes on with its coupons: a line of one that begins now, or for
// which nothing is credited, has those of now.
func TestCharged_CouponsOfNow(t *testing.T) {
	t.Parallel()
	began := inJanuary()
	year := bills(invoice.ProrationCharge, "year", began.CurrentPeriod.Start, yearEnd, 6000)
	quarter := bills(invoice.ProrationCharge, "quarter", began.CurrentPeriod.Start, began.CurrentPeriod.End, 2000)
	begins := inJanuary()
	begins.PeriodIndex, begins.NextPeriod = 1, 1
	begins.CurrentPeriod = period.Period{Start: november, End: november.AddDate(0, 1, 0)}
	for name, c := range map[string]struct {
		s      Period
		charge []invoice.Line
		want   []money.Minor
	}{
		"one goes on, and nothing is credited for the other": {began, []invoice.Line{year, quarter}, []money.Minor{0, 100}},
		"it begins now": {begins, []invoice.Line{year}, []money.Minor{100}},
	} {
		c.s.Discounts = subscription.Discounts{{CouponID: "coup_1", Terms: amountOff(100), From: 1}}
		left := UnusedTime{Credits: []invoice.Line{bills(invoice.ProrationCredit, "before", november, yearEnd, -5000)}}
		lines, err := c.s.Charged(c.s.Facts.Plan, left, c.charge)
		require.NoError(t, err)
		var off []money.Minor
		for _, l := range lines {
			off = append(off, l.Discounts.Of("coup_1"))
		}
		require.Equal(t, c.want, off, name)
	}
}

// The last credit is that of the same item and the same own period, and no line that bills it.
func TestLastCredit(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return november.AddDate(0, 0, n) }
	first := bills(invoice.ProrationCredit, "year", day(10), yearEnd, -300)
	last := bills(invoice.ProrationCredit, "year", day(20), yearEnd, -200)
	charge := bills(invoice.ProrationCharge, "year", day(30), yearEnd, 100)
	other := bills(invoice.ProrationCredit, "quarter", day(30), yearEnd, -100)
	earlier := bills(invoice.ProrationCredit, "year", day(30), november.AddDate(0, 3, 0), -100)
	for name, c := range map[string]struct {
		lines []invoice.Line
		want  invoice.Line
	}{
		"none":                  {nil, invoice.Line{}},
		"a charge":              {[]invoice.Line{charge}, invoice.Line{}},
		"of another item":       {[]invoice.Line{other}, invoice.Line{}},
		"of another own period": {[]invoice.Line{earlier}, invoice.Line{}},
		"the later of two":      {[]invoice.Line{first, last, charge, other, earlier}, last},
		"in whatever order":     {[]invoice.Line{earlier, other, charge, last, first}, last},
	} {
		s := inJanuary()
		s.PendingLines = c.lines
		found, ok := lastCredit(s, bills(invoice.ProrationCharge, "year", day(40), yearEnd, 50))
		require.Equal(t, c.want, found, name)
		require.Equal(t, c.want.ID != "", ok, name)
	}
}

// The first line for an own period is neither a credit for it nor a line for another one.
func TestFirstBilled(t *testing.T) {
	t.Parallel()
	at := func(index int, l invoice.Line) invoice.Line {
		l.PeriodIndex = index
		return l
	}
	year := bills(invoice.Recurring, "year", november, yearEnd, 12_000)
	credit := bills(invoice.ProrationCredit, "year", november, yearEnd, -12_000)
	month := bills(invoice.Recurring, "a", november, november.AddDate(0, 1, 0), 1000)
	for name, c := range map[string]struct {
		lines []invoice.Line
		want  int
	}{
		"none":            {nil, 3},
		"the first":       {[]invoice.Line{at(2, year), at(3, year)}, 2},
		"another period":  {[]invoice.Line{at(1, month), at(2, year)}, 2},
		"after a credit":  {[]invoice.Line{at(1, credit), at(2, year)}, 2},
		"only the others": {[]invoice.Line{at(1, credit), at(1, month)}, 3},
	} {
		s := inJanuary()
		s.PendingLines = c.lines
		require.Equal(t, c.want, firstBilled(s, yearEnd), name)
	}
}

// A coupon stays as it is where it takes off no more than is given back.
func TestAtMost(t *testing.T) {
	t.Parallel()
	half := invoice.Reduction{
		CouponID: "half", Discount: discount.Discount{Percent: money.Whole(50)}, For: func(string) bool { return true },
	}
	lines := []invoice.Line{bills(invoice.Recurring, "year", november, yearEnd, 1000)}
	bounded := func(most money.Minor) discount.Discount { return discount.Discount{Amount: most} }
	for most, want := range map[money.Minor]discount.Discount{
		501: half.Discount, 500: half.Discount, 499: bounded(499), 1: bounded(1),
	} {
		one, err := atMost(half, most, lines, nil)
		require.NoError(t, err)
		require.Equal(t, want, one.Discount, "at most %d", most)
	}
}
