package lifecycle_test

import (
	"github.com/stretchr/testify/require"

	"perennial/billing/internal/recount"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/plan"
)

// billed is the key of sums of lines: a price in a period, whichever versions of its plan have it.
type billed struct {
	price  string
	period int
}

// billedBy returns the key of a line.
func (l *life) billedBy(line invoice.Line) billed {
	if _, known := l.prices[line.PriceID]; !known {
		l.learnPrices()
	}
	return billed{l.prices[line.PriceID], line.PeriodIndex}
}

func (l *life) learnPrices() {
	l.prices = map[string]string{}
	for _, p := range l.store.plans {
		for _, price := range p.Prices {
			l.prices[price.ID] = priced(p, price)
		}
	}
}

// checkLines checks the lines by themselves. The sum of a price's lines in a period is its charges less its
// credits, and equals its use. A credit reverses one line, once, by at most its amount.
func (l *life) checkLines() {
	lines, sums, fees := map[string]invoice.Line{}, map[billed]money.Minor{}, map[string]bool{}
	for _, inv := range l.store.all() {
		if inv.Status == invoice.Void || l.sub().Pays(inv.ID) { // a change that waits bills no use yet
			continue
		}
		for _, line := range inv.Lines {
			if _, twice := lines[line.ID]; twice || line.ID == "" || line.PeriodIndex < 1 ||
				line.PeriodIndex > inv.PeriodIndex || inv.PeriodIndex > l.sub().PeriodIndex {
				require.Failf(l.t, "a line has an id and a period of its own", "%+v of %+v", line, inv)
			}
			lines[line.ID] = line
			if line.Kind == invoice.Metered { // see checkUsageLines and checkOwed
				continue
			}
			if line.Kind == invoice.OneOff {
				if fees[line.PriceID] || line.ItemID != "" {
					require.Failf(l.t, "a fee is billed once, and is of no item", "%+v of %+v", line, inv)
				}
				fees[line.PriceID] = true
				continue
			}
			sums[l.billedBy(line)] += line.Amount
		}
	}
	for _, line := range l.sub().PendingLines {
		if _, twice := lines[line.ID]; twice || line.ID == "" || line.PeriodIndex < 1 ||
			line.PeriodIndex > l.sub().PeriodIndex {
			require.Failf(l.t, "a line that waits has an id and a period of its own", "%+v", line)
		}
		lines[line.ID] = line
		sums[l.billedBy(line)] += line.Amount
	}
	for _, line := range lines {
		if err := recount.Line(line, lines[line.Reverses], l.sub().Currency); err != nil {
			require.Failf(l.t, "a line explains its amount", "%s: %+v", err, line)
		}
	}
	reversed := map[string]bool{}
	for _, credit := range lines {
		if credit.Kind != invoice.ProrationCredit || credit.Amount == 0 {
			continue
		}
		of, found := lines[credit.Reverses]
		if !found || reversed[of.ID] || -credit.Amount > of.Amount-of.Credited || credit.ItemID != of.ItemID ||
			credit.PeriodIndex != of.PeriodIndex || credit.PriceID != of.PriceID {
			require.Failf(l.t, "a credit takes back one line, once", "%+v of %+v", credit, of)
		}
		reversed[of.ID] = true
	}
	if l.writtenOff || l.noted || l.mixed { // credit notes and written-off invoices reduce the credit for unused time
		return
	}
	for _, u := range l.account.uses {
		u.each(func(of sold, price plan.Price) {
			sums[billed{priced(of.plan, price), u.index}] -= u.of(of, price)
		})
	}
	for of, sum := range sums {
		if sum != 0 {
			require.Failf(l.t, "what is billed for a price is what was used of it", "%+v: %d too much", of, sum)
		}
	}
}
