package lifecycle_test

import (
	"maps"
	"slices"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/metered"
	"perennial/billing/metering"
)

// someThresholds apply to each plan with metered prices; the second one bills nothing.
var someThresholds = []metered.Threshold{{Amount: 1, Invoice: true}, {Amount: 2}, {Amount: 3, Invoice: true}}

// crossSome checks the thresholds of the current period for a drawn amount of usage, like the merge of records: an
// invoice before the period's end bills the usage so far.
func (l *life) crossSome(draw chance) {
	if _, goesOn, _ := metering.Current(l.sub()); !goesOn || draw(3, "thresholds are asked about") > 0 {
		return
	}
	asked, _ := l.asked(draw)
	g := l.load(false)
	state, changes, err := lifecycle.CrossThresholds(g.state, asked, l.moment())
	require.NoError(l.t, err)
	l.write(g, state, changes)
}

// asked counts the usage of the current period, with a drawn spending; false: none is counted.
func (l *life) asked(draw chance) (asked lifecycle.ThresholdsAsked, goesOn bool) {
	s := l.sub()
	current, goesOn, err := metering.Current(s)
	require.NoError(l.t, err)
	if !goesOn {
		return asked, false
	}
	all := append(slices.Clone(l.store.segments), current)
	from := slices.IndexFunc(all, func(of metering.Segment) bool { return of.PeriodIndex == s.PeriodIndex })
	counted := l.counted(all, from)
	priced := make([]metering.Priced, len(counted))
	for i := range counted {
		counted[i], priced[i] = counted[i].Unbounded(), l.store.priced(all[from+i])
	}
	var billed []metered.Charge
	for _, c := range l.store.charges {
		billed = append(billed, c.Charges...)
	}
	asked = lifecycle.ThresholdsAsked{
		PeriodIndex: s.PeriodIndex, MeteredSince: s.MeteredSince, Reached: map[string]bool{},
		Standing: metered.Standing{Spent: 1 << draw(3, "spent")},
	}
	for of := range l.store.crossed {
		if of.period == s.PeriodIndex {
			asked.Reached[of.key] = true
		}
	}
	asked.Segments, err = lifecycle.RateUsage(priced, counted, billed, l.usageKept(), s.Currency)
	require.NoError(l.t, err)
	for i, of := range asked.Segments {
		asked.Segments[i].Charges = slices.DeleteFunc(of.Charges, func(c metered.Charge) bool { return c.Amount <= 0 })
	}
	return asked, true
}

// crossing is a threshold that a period has reached.
type crossing struct {
	period int
	key    string
}

// writeCrossings writes the crossings of a decision, each once.
func (s *store) writeCrossings(all []lifecycle.Crossing) {
	for _, c := range all {
		of := crossing{c.PeriodIndex, c.Threshold.Key()}
		if s.crossed[of] {
			s.fail("crossed twice: %+v", of)
		}
		s.crossed = maps.Clone(s.crossed)
		if s.crossed == nil {
			s.crossed = map[crossing]bool{}
		}
		s.crossed[of] = true
	}
}

func (l *life) billedUntil() (until time.Time) {
	for _, inv := range l.store.billed() {
		if inv.UsageUntil.After(until) {
			until = inv.UsageUntil
		}
	}
	return until
}

// usageKept returns the usage lines of paid and payable invoices.
func (l *life) usageKept() (lines []invoice.OnInvoice) {
	for _, inv := range l.store.billed() {
		if inv.Status != invoice.Open && inv.Status != invoice.Paid && inv.Status != invoice.TakenBack {
			continue
		}
		for _, line := range inv.Lines {
			if line.Kind == invoice.Metered {
				lines = append(lines, invoice.OnInvoice{
					InvoiceID: inv.ID, Paid: inv.Status != invoice.Open, Line: line,
				})
			}
		}
	}
	return lines
}
