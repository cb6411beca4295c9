package costing

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/subscription"
)

// The lines of an earlier period on an invoice do not change the amount that is kept for the current one.
func TestKeeps_WithLinesOfEarlierPeriods(t *testing.T) {
	t.Parallel()
	s := subscription.Subscription{PeriodIndex: 3, RenewedIndex: 2}
	for name, c := range map[string]struct {
		lines          map[int]money.Minor // by period
		paid           money.Minor
		kept, overpaid money.Minor
		earlier        money.Minor // which bears returned money first
	}{
		"none":                      {map[int]money.Minor{3: 1000}, 1000, 1000, 0, 0},
		"of a period cut short":     {map[int]money.Minor{3: 1000, 2: -300}, 700, 700, 0, 0},
		"of before there were any":  {map[int]money.Minor{3: 1000, 0: -300}, 700, 700, 0, 0},
		"a credit":                  {map[int]money.Minor{3: 1000, 1: -800}, 200, 1000, -800, 0},
		"a credit of more":          {map[int]money.Minor{3: 1000, 1: -1800}, 0, 1000, -1000, 0},
		"a charge":                  {map[int]money.Minor{3: 1000, 1: 2000}, 3000, 1000, 0, 2000},
		"a charge, paid by balance": {map[int]money.Minor{3: 1000, 1: 2000}, 2500, 1000, -500, 2000},
	} {
		inv := invoice.Invoice{PeriodIndex: 3, AmountPaid: c.paid}
		for index, amount := range c.lines {
			inv.Lines = append(inv.Lines, invoice.Line{PeriodIndex: index, Amount: amount})
			inv.Total += amount
		}
		f := Facts{Paid: []invoice.Invoice{inv}}
		require.Equal(t, c.kept, Period{s, f}.retained().Total, name)
		require.Equal(t, c.overpaid, Period{s, Facts{}}.overpaid(f.Paid), name)
		f.GivenBack = 100 + c.earlier
		require.Equal(t, c.kept-100, Period{s, f}.retained().Total, name)
	}
}
