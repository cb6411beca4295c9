package lifecycle_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/subscription"
)

// Thresholds are asked about by the decision that sets them and by the one that begins a period, and by no other.
func TestDecision_AsksThresholds(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	asks := func(decide func(lifecycle.State) (lifecycle.State, lifecycle.Changes, error)) bool {
		g := l.load(false)
		state, changes, err := decide(g.state)
		require.NoError(t, err)
		l.write(g, state, changes)
		return changes.AsksThresholds
	}
	apply := func(cmd lifecycle.Command) bool {
		return asks(func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.Apply(s, cmd, l.moment())
		})
	}
	l.pass(time.Hour)
	require.False(t, apply(lifecycle.ChangePlan{Quantity: 2}), "it has none")
	to := subscription.UsageThresholds(someThresholds)
	require.True(t, apply(lifecycle.SetUsageThresholds{To: &to}))
	l.pass(time.Hour)
	require.False(t, apply(lifecycle.SetUsageThresholds{To: &to}), "the same")
	l.now = l.sub().CurrentPeriod.End
	l.real = l.now
	require.True(t, asks(func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
		return lifecycle.Advance(s, l.moment())
	}), "a period begins")
	l.pass(time.Hour)
	require.False(t, apply(lifecycle.SetUsageThresholds{To: &subscription.UsageThresholds{}}), "none are left to ask about")
}

// What is said of a draft that does not exist, or that is not due, changes nothing.
func TestUsageOf_ADraftThatDoesNotWait(t *testing.T) {
	t.Parallel()
	l := calling(t, 1)
	l.until(l.sub().CurrentPeriod.End)
	draft := l.store.drafts[0]
	for name, decide := range map[string]func(lifecycle.State) (lifecycle.State, lifecycle.Changes, error){
		"closed, unknown": func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.CloseUsage(s, "in_none", l.moment())
		},
		"closed, not due": func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.CloseUsage(s, draft.ID, l.moment())
		},
		"unrated, unknown": func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.UsageUnrated(s, "in_none", "code", "why", l.moment())
		},
		"billed, unknown": func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.BillUsage(s, lifecycle.UsageRated{InvoiceID: "in_none"}, l.moment())
		},
		"billed, not due": func(s lifecycle.State) (lifecycle.State, lifecycle.Changes, error) {
			return lifecycle.BillUsage(s, lifecycle.UsageRated{InvoiceID: draft.ID}, l.moment())
		},
	} {
		_, changes, err := decide(l.store.load(false))
		require.NoError(t, err, name)
		require.Equal(t, lifecycle.Changes{At: l.decided()}, changes, name)
	}
}

// A draft that nothing is added to is issued as it is: nobody is told that it was changed.
func TestBillUsage_OfNothingChangesNoDraft(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string]int64{"nothing": 0, "calls": 100} {
		l := calling(t, 0)
		l.until(l.sub().CurrentPeriod.End)
		if calls > 0 {
			l.call(l.now.Add(-time.Hour), calls)
		}
		g := l.load(false)
		draft, due := g.state.UsageDraft(l.now)
		require.True(t, due)
		rated := l.rated(draft)
		require.Equal(t, calls > 0, len(rated.Segments) > 0, "%s: only segments with charges are billed", name)
		_, changes, err := lifecycle.BillUsage(g.state, rated, l.moment())
		require.NoError(t, err)
		updated := 0
		for _, e := range changes.Events {
			if e.Type() == "invoice.updated" {
				updated++
			}
		}
		require.Equal(t, calls > 0, updated > 0, name)
	}
}

// The last count waits for records under way. On a test clock, which passes months in an instant, any may be the last.
func TestAwaitsRecords(t *testing.T) {
	t.Parallel()
	draft := invoice.Invoice{UsageUntil: created.AddDate(0, 1, 0)}
	l := calling(t, 1)
	goesOn := l.store.load(false)
	require.False(t, goesOn.AwaitsRecords(draft))
	onClock := goesOn
	onClock.ClockNow = created
	require.True(t, onClock.AwaitsRecords(draft))
	l.pass(24 * time.Hour)
	l.cancelNow(false)
	last, waits := l.awaiting()
	require.True(t, waits)
	require.True(t, l.store.load(false).AwaitsRecords(last))
}

// A correction gives back at most what the lines of its price and segment keep, and has the taxes and coupons of the
// largest of them.
func TestRateUsage_CorrectsTheLargestLine(t *testing.T) {
	t.Parallel()
	p := callsPlan()
	of := metering.Priced{Segment: metering.Segment{
		Start: created, End: created.AddDate(0, 1, 0), Plan: p.Ref(), PeriodIndex: 1,
	}, On: p}
	line := func(id, price string, at time.Time, amount, credited money.Minor) invoice.OnInvoice {
		return invoice.OnInvoice{InvoiceID: "in_" + id, Line: invoice.Line{
			ID: id, Kind: invoice.Metered, PriceID: price, Amount: amount, Credited: credited,
			Period: period.Period{Start: at, End: of.End},
		}}
	}
	billed := []metered.Charge{{
		Key:      metered.Key{Segment: created.UnixMicro(), PriceID: "calls"},
		Quantity: money.Whole(1000), Amount: 3000,
	}}
	for name, c := range map[string]struct {
		kept    []invoice.OnInvoice
		back    money.Minor
		largest string
	}{
		"one line":              {[]invoice.OnInvoice{line("a", "calls", created, 3000, 0)}, 3000, "a"},
		"the larger one":        {[]invoice.OnInvoice{line("a", "calls", created, 1000, 0), line("b", "calls", created, 2000, 0)}, 3000, "b"},
		"the larger one, first": {[]invoice.OnInvoice{line("b", "calls", created, 2000, 0), line("a", "calls", created, 1000, 0)}, 3000, "b"},
		"after credit notes":    {[]invoice.OnInvoice{line("a", "calls", created, 1500, 0), line("b", "calls", created, 1500, 900)}, 2100, "a"},
		"of two equal, the later id": {[]invoice.OnInvoice{line("a", "calls", created, 1500, 0), line("b", "calls", created, 1500, 0)},
			3000, "b"},
		"of two equal, in any order": {[]invoice.OnInvoice{line("b", "calls", created, 1500, 0), line("a", "calls", created, 1500, 0)},
			3000, "b"},
		"with a correction before": {[]invoice.OnInvoice{line("a", "calls", created, 3000, 0), line("b", "calls", created, -2500, 0)},
			500, "a"},
		"of another segment": {[]invoice.OnInvoice{line("a", "calls", created.Add(time.Second), 3000, 0)}, 0, ""},
		"of another price":   {[]invoice.OnInvoice{line("a", "others", created, 3000, 0)}, 0, ""},
	} {
		rated, err := lifecycle.RateUsage([]metering.Priced{of}, []metered.Segment{{Start: created}}, billed, c.kept, "EUR")
		require.NoError(t, err, name)
		require.Len(t, rated, 1, name)
		require.Equal(t, -c.back, rated[0].Charges[0].Amount, name)
		require.Equal(t, c.largest, rated[0].Corrects["calls"].ID, name)
	}
}

// A count of another period, or of another segment, crosses nothing.
func TestCrossThresholds_OfAnotherPeriod(t *testing.T) {
	t.Parallel()
	l := calling(t, 0)
	l.pass(time.Hour)
	to := subscription.UsageThresholds(someThresholds)
	_, err := l.apply(lifecycle.SetUsageThresholds{To: &to})
	require.NoError(t, err)
	s := l.sub()
	asked := lifecycle.ThresholdsAsked{
		PeriodIndex: s.PeriodIndex, MeteredSince: s.MeteredSince, Standing: metered.Standing{Spent: 100},
	}
	crossed := func(asked lifecycle.ThresholdsAsked) int {
		_, changes, err := lifecycle.CrossThresholds(l.store.load(false), asked, l.moment())
		require.NoError(t, err)
		return len(changes.Crossings)
	}
	require.Equal(t, 3, crossed(asked))
	other, later := asked, asked
	other.PeriodIndex++
	later.MeteredSince = s.MeteredSince.Add(time.Second)
	require.Zero(t, crossed(other))
	require.Zero(t, crossed(later))

	l.until(s.CurrentPeriod.End)
	asked.PeriodIndex, asked.MeteredSince = l.sub().PeriodIndex, l.sub().MeteredSince
	require.Equal(t, l.now, asked.MeteredSince)
	require.Zero(t, crossed(asked), "no second of the segment is over, so that an invoice would bill nothing")
	l.pass(time.Second)
	require.Equal(t, 3, crossed(asked))
}

// Only a threshold that asks for it has an invoice, of the usage so far; and nobody who is gone, or has not paid the
// first invoice yet, is billed at a threshold.
func TestCrossThresholds_Bills(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		thresholds []metered.Threshold
		change     func(*lifecycle.State)
		crossed    int
		billed     []money.Minor
	}{
		"with an invoice":       {[]metered.Threshold{{Amount: 1, Invoice: true}}, nil, 1, []money.Minor{300}},
		"without an invoice":    {[]metered.Threshold{{Amount: 1}}, nil, 1, nil},
		"one of two":            {[]metered.Threshold{{Amount: 1}, {Amount: 2, Invoice: true}}, nil, 2, []money.Minor{300}},
		"of an erased customer": {someThresholds, func(s *lifecycle.State) { s.Customer.ErasedAt = created }, 0, nil},
		"before the first payment": {
			someThresholds, func(s *lifecycle.State) { s.Subscription.Status = subscription.Incomplete }, 0, nil,
		},
	} {
		l := calling(t, 0)
		l.pass(time.Hour)
		l.call(l.now.Add(-time.Minute), 100)
		to := subscription.UsageThresholds(c.thresholds)
		_, err := l.apply(lifecycle.SetUsageThresholds{To: &to})
		require.NoError(t, err)
		asked, goesOn := l.asked(func(int, string) int { return 2 })
		require.True(t, goesOn)
		state := l.store.load(false)
		if c.change != nil {
			c.change(&state)
		}
		_, changes, err := lifecycle.CrossThresholds(state, asked, l.moment())
		require.NoError(t, err, name)
		require.Len(t, changes.Crossings, c.crossed, name)
		var billed []money.Minor
		for _, inv := range changes.Invoices.Of(lifecycle.InvoiceCreated) {
			billed = append(billed, inv.Total)
		}
		require.Equal(t, c.billed, billed, name)
		for _, crossing := range changes.Crossings {
			require.Equal(t, crossing.Threshold.Invoice, crossing.InvoiceID != "", name)
		}
	}
}
