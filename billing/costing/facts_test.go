package costing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/plan"
	"perennial/billing/rating"
	"perennial/billing/subscription"
)

func TestFacts_Version(t *testing.T) {
	t.Parallel()
	pending, added, scheduled := flat("pending", 1), flat("added", 2), flat("scheduled", 3)
	f := Facts{Pending: &pending, AddOns: []plan.Plan{added}, Scheduled: []plan.Plan{scheduled}}
	for _, p := range []plan.Plan{pending, added, scheduled} {
		require.Equal(t, p, f.Version(p.Ref()))
	}
	other := plan.Ref{ID: pending.ID, Version: 2}
	require.Equal(t, plan.Plan{ID: other.ID, Version: 2}, f.Version(other), "without prices")
	require.Equal(t, added, Facts{AddOns: []plan.Plan{added}}.Version(added.Ref()))
}

// Items are free if none of their own prices costs anything, whatever other prices of the plan cost.
func TestFacts_Free(t *testing.T) {
	t.Parallel()
	p := flat("a", 0)
	p.Prices = append(p.Prices, plan.Flat("dear", "", 500))
	f := Facts{AddOns: []plan.Plan{flat("nothing", 0), flat("some", 100)}}
	item := func(priceID string) subscription.Item { return subscription.Item{PriceID: priceID, Quantity: 1} }
	for name, c := range map[string]struct {
		items []subscription.Item
		want  bool
	}{
		"no items":                       {nil, true},
		"a free price beside a dear one": {[]subscription.Item{item("price_a")}, true},
		"a dear price":                   {[]subscription.Item{item("dear")}, false},
		"both":                           {[]subscription.Item{item("price_a"), item("dear")}, false},
		"a free add-on":                  {[]subscription.Item{item("price_a"), item("price_nothing")}, true},
		"a dear add-on":                  {[]subscription.Item{item("price_a"), item("price_some")}, false},
	} {
		require.Equal(t, c.want, f.Free(c.items, p), name)
	}
}

// Neither an invoice of usage alone nor one of another period is the invoice of the period.
func TestFacts_InvoiceOfAPeriod(t *testing.T) {
	t.Parallel()
	cycle := invoice.Invoice{ID: "cycle", PeriodIndex: 2, Reason: invoice.Cycle}
	usage := invoice.Invoice{ID: "usage", PeriodIndex: 2, Reason: invoice.Usage}
	earlier := invoice.Invoice{ID: "earlier", PeriodIndex: 1, Reason: invoice.Cycle}
	list := func(all ...invoice.Invoice) []invoice.Invoice { return all }
	for name, c := range map[string]struct {
		facts  Facts
		open   string // the id of the open invoice or the draft of period 2
		billed bool
	}{
		"none":                {Facts{}, "", false},
		"of usage alone":      {Facts{Open: list(usage), Drafts: list(usage), Paid: list(usage)}, "", false},
		"of an earlier one":   {Facts{Open: list(earlier), WrittenOff: list(earlier)}, "", false},
		"open, behind others": {Facts{Open: list(earlier, usage, cycle)}, "cycle", true},
		"a draft":             {Facts{Open: list(usage), Drafts: list(cycle)}, "cycle", true},
		"paid":                {Facts{Paid: list(usage, cycle)}, "", true},
		"given up":            {Facts{WrittenOff: list(earlier, cycle)}, "", true},
	} {
		if open := c.facts.OpenFor(2); c.open == "" {
			require.Nil(t, open, name)
		} else {
			require.Equal(t, c.open, open.ID, name)
		}
		require.Equal(t, c.billed, c.facts.invoiced(2), name)
		s := Period{Facts: c.facts}
		s.PeriodIndex = 2
		require.Equal(t, c.billed, s.Covered(), name)
		s.UnproratedIndex = 2
		require.True(t, s.Covered(), "a change without proration: %s", name)
		s.UnproratedIndex, s.FreeIndex = 1, 2
		require.True(t, s.Covered(), "it costs nothing: %s", name)
		s.FreeIndex, s.PendingLines = 1, []invoice.Line{{PeriodIndex: 1}}
		require.Equal(t, c.billed, s.Covered(), name)
		s.PendingLines = append(s.PendingLines, invoice.Line{PeriodIndex: 2})
		require.True(t, s.Covered(), "a line that waits: %s", name)
	}
}

// An invoice that a person gave up is owed since another one of its period if it was issued after that.
func TestFacts_OwedSince(t *testing.T) {
	t.Parallel()
	given := invoice.Invoice{ID: "given", Number: 5, PeriodIndex: 2, Status: invoice.Uncollectible, Reason: invoice.Cycle}
	f := Facts{WrittenOff: []invoice.Invoice{given}}
	for number, want := range map[int64]bool{0: false, 4: true, 5: false, 6: false} {
		require.Equal(t, want, f.OwedSince(invoice.Invoice{ID: "closed", Number: number, PeriodIndex: 2}), number)
	}
	require.False(t, f.OwedSince(invoice.Invoice{ID: "closed", Number: 4, PeriodIndex: 1}), "of another period")
	require.True(t, f.Owes(2, "closed"))
	for name, change := range map[string]func(*invoice.Invoice){
		"void":              func(inv *invoice.Invoice) { inv.Status = invoice.Void },
		"of another period": func(inv *invoice.Invoice) { inv.PeriodIndex = 1 },
		"of usage":          func(inv *invoice.Invoice) { inv.Reason = invoice.Usage },
	} {
		other := given
		change(&other)
		require.False(t, Facts{WrittenOff: []invoice.Invoice{other}}.Owes(2, "closed"), name)
	}
}

func TestTarget_Of(t *testing.T) {
	t.Parallel()
	addOn := subscription.AddOns{{Ref: plan.Ref{ID: "x", Version: 1}, Quantity: 1}}
	s := subscription.Subscription{PlanID: "plan_a", PlanVersion: 1, Quantity: 2, AddOns: addOn}
	now := Target{Plan: flat("a", 1), Quantity: 2, AddOns: addOn}
	for name, c := range map[string]struct {
		change func(*Target)
		want   bool
	}{
		"the same":         {func(*Target) {}, true},
		"another version":  {func(t *Target) { t.Plan.Version = 9 }, true},
		"another plan":     {func(t *Target) { t.Plan.ID = "plan_b" }, false},
		"another quantity": {func(t *Target) { t.Quantity = 3 }, false},
		"no add-ons":       {func(t *Target) { t.AddOns = nil }, false},
		"another plan, another quantity": {func(t *Target) {
			t.Plan.ID, t.Quantity = "plan_b", 3
		}, false},
		"nothing is the same": {func(t *Target) { *t = Target{Plan: flat("b", 1)} }, false},
	} {
		to := now
		c.change(&to)
		require.Equal(t, c.want, to.Of(s), name)
	}
}

// A subscription may have more add-ons than its plan has prices.
func TestItemsOn_OfManyAddOns(t *testing.T) {
	t.Parallel()
	s := opened(flat("a", 100), 1, "")
	s.Facts.AddOns = []plan.Plan{flat("b", 1), seat("c", 2), flat("d", 3)}
	for _, p := range s.Facts.AddOns {
		s.AddOns = append(s.AddOns, subscription.AddOn{Ref: p.Ref(), Quantity: 4})
	}
	require.Equal(t, []subscription.Item{
		{ID: "si_price_a", PriceID: "price_a", Quantity: 1, Joined: 1}, {ID: "si_price_b", PriceID: "price_b", Quantity: 1, Joined: 1},
		{ID: "si_price_c", PriceID: "price_c", Quantity: 4, Joined: 1}, {ID: "si_price_d", PriceID: "price_d", Quantity: 1, Joined: 1},
	}, s.ItemsOn(s.Facts.Plan))
}

// An amount off reduces each period once: discounts of other lines and of closed invoices count. Those of void invoices
// and of other periods do not.
func TestDiscounted_TakesAnAmountOffOnce(t *testing.T) {
	t.Parallel()
	line := func(index int, off money.Minor) []invoice.Line {
		return []invoice.Line{{
			PeriodIndex: index, Amount: 1000, Discounts: invoice.Shares{{CouponID: "ten", Amount: off}},
		}}
	}
	closed := func(status invoice.Status, lines []invoice.Line) []invoice.Invoice {
		return []invoice.Invoice{{Status: status, Lines: lines}}
	}
	for name, c := range map[string]struct {
		facts Facts
		with  []invoice.Line
		want  money.Minor // of 1,000
	}{
		"nothing so far":             {Facts{}, nil, 1000},
		"on a line beside it":        {Facts{}, line(1, 300), 700},
		"on a paid invoice":          {Facts{Paid: closed(invoice.Paid, line(1, 400))}, nil, 600},
		"on one given up":            {Facts{WrittenOff: closed(invoice.Uncollectible, line(1, 400))}, nil, 600},
		"on a void one":              {Facts{WrittenOff: closed(invoice.Void, line(1, 400))}, nil, 1000},
		"of another period":          {Facts{Paid: closed(invoice.Paid, line(2, 400))}, line(2, 300), 1000},
		"on both":                    {Facts{Paid: closed(invoice.Paid, line(1, 400))}, line(1, 300), 300},
		"all of it":                  {Facts{Paid: closed(invoice.Paid, line(1, 1000))}, nil, 0},
		"more than all, by a change": {Facts{Paid: closed(invoice.Paid, line(1, 900))}, line(1, 300), 0},
	} {
		s := Period{Facts: c.facts}
		s.PeriodIndex = 1
		s.Discounts = subscription.Discounts{{CouponID: "ten", Terms: amountOff(1000), From: 1}}
		lines, err := s.Discounted(c.with, []invoice.Line{{PeriodIndex: 1, Amount: 5000}})
		require.NoError(t, err, name)
		require.Equal(t, c.want, lines[0].Discounts.Of("ten"), name)
	}
}

// Pending lines are billed with the next invoice; without any, nothing is.
func TestWaiting(t *testing.T) {
	t.Parallel()
	s := opened(flat("a", 100), 1, "")
	none, err := s.Waits()
	require.NoError(t, err)
	require.Zero(t, none)
	require.Empty(t, s.Waiting())
	require.Empty(t, s.LastInvoice())

	s.PendingLines = []invoice.Line{{ID: "pending_0", PeriodIndex: 1, Amount: 700, Period: s.CurrentPeriod}}
	waits, err := s.Waits()
	require.NoError(t, err)
	require.Equal(t, money.Minor(700), waits)
	last := s.LastInvoice()
	require.Len(t, last, 1)
	require.Equal(t, [2]any{true, s.CurrentPeriod}, [2]any{last[0].Last, last[0].Period})

	october := period.Period{Start: november.AddDate(0, -1, 0), End: november}
	for _, c := range []struct{ lines, want period.Period }{
		{october, october}, // a period that is over stays as it was
		{period.Period{Start: november, End: november.AddDate(1, 0, 0)}, s.CurrentPeriod},
	} {
		s.PendingLines = []invoice.Line{{ID: "pending_0", PeriodIndex: 1, Amount: 700, Period: c.lines}}
		require.Equal(t, c.want, s.LastInvoice()[0].Period)
	}
}

// Unbilled time is credited like billed time, and an open invoice with credit notes stays open.
func TestUnusedTime_OfWhatIsNotPaid(t *testing.T) {
	t.Parallel()
	p := priced("a", rating.Price{Model: rating.Flat, Amount: 3000}, "EUR")
	s := opened(p, 1, "day")
	now := november.AddDate(0, 0, 10)
	lines, err := s.WholePeriod(s.Items, p)
	require.NoError(t, err)
	lines[0].ID = "il_1"
	unused, err := s.Unused(now)
	require.NoError(t, err)

	none, err := s.UnusedTime(s.Items, unused, now)
	require.NoError(t, err)
	require.Zero(t, none.Credit, "nothing is billed")

	waits := s
	waits.PendingLines = lines
	left, err := waits.UnusedTime(s.Items, unused, now)
	require.NoError(t, err)
	require.Equal(t, money.Minor(2000), left.Credit, "20 of 30 days of 30.00")

	s.Facts.Open = []invoice.Invoice{{ID: "in_1", Status: invoice.Open, PeriodIndex: 1, Lines: lines}}
	left, err = s.UnusedTime(s.Items, unused, now)
	require.NoError(t, err)
	require.Equal(t, [2]any{"in_1", money.Minor(2000)}, [2]any{left.Replaces, left.Credit})
	s.Facts.Open[0].Credited.Total = 1
	_, err = s.UnusedTime(s.Items, unused, now)
	require.ErrorIs(t, err, invoice.ErrHasCreditNotes)
}

// A cancellation gives back the unused part of what was paid for the current period, and nothing where none was billed,
// where the period is over, or in a pause.
func TestClosing(t *testing.T) {
	t.Parallel()
	p := flat("a", 3000)
	for name, c := range map[string]struct {
		change func(*Period)
		days   int
		want   money.Minor // that goes back; 0: there is no invoice
	}{
		"paid":                {func(*Period) {}, 10, 2000}, // 20 of 30 days of 30.00
		"not billed":          {func(s *Period) { s.Facts.Paid = nil }, 10, 0},
		"in a pause":          {func(s *Period) { s.Status = subscription.Paused }, 10, 0},
		"at the period's end": {func(*Period) {}, 30, 0},
		"before the period":   {func(*Period) {}, -1, 0},
		"paid in part":        {func(s *Period) { s.Facts.Paid[0].AmountPaid = 1500 }, 10, 500}, // 15.00 less 10.00
	} {
		s := opened(p, 1, "day")
		lines, err := s.WholePeriod(s.Items, p)
		require.NoError(t, err, name)
		s.paid(lines)
		c.change(&s)
		closing, err := s.Closing(november.AddDate(0, 0, c.days))
		require.NoError(t, err, name)
		if c.want == 0 {
			require.Empty(t, closing, name)
			continue
		}
		require.Len(t, closing, 1, name)
		require.Equal(t, c.want, closing[0].Refund, name)
	}
}
