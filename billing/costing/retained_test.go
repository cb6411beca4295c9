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

// A correction on a later invoice gave usage back to the balance, so that usage bears less of the money that went back.
func TestKeeps_UsageThatWasCorrectedBearsNoMoney(t *testing.T) {
	t.Parallel()
	s := subscription.Subscription{PeriodIndex: 3, RenewedIndex: 3}
	used := func(amount money.Minor) invoice.Line {
		return invoice.Line{Kind: invoice.Metered, PeriodIndex: 2, Amount: amount}
	}
	for name, c := range map[string]struct {
		corrected, returned, kept money.Minor
	}{
		"usage bears it":                {0, 4000, 3000},
		"half of it":                    {-2000, 2000, 3000},
		"nothing of it":                 {-4000, 3000, 0},
		"corrected twice over":          {-9000, 1000, 2000},
		"corrected, no money went back": {-4000, 0, 3000},
	} {
		f := Facts{GivenBack: c.returned, Paid: []invoice.Invoice{
			{Total: 7000, Lines: []invoice.Line{{PeriodIndex: 3, Amount: 3000}, used(4000)}},
			{Total: c.corrected, Lines: []invoice.Line{used(c.corrected)}},
		}}
		require.Equal(t, c.kept, Period{s, f}.retained().Total, name)
	}
}
