package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
)

func TestOverdue(t *testing.T) {
	t.Parallel()
	due := invoice.Invoice{Status: invoice.Open, DueAt: now}
	require.True(t, due.Overdue(now), "at the instant it is due")
	require.False(t, due.Overdue(now.Add(-1)))
	require.False(t, invoice.Invoice{Status: invoice.Open}.Overdue(now), "without a due date")
	due.Status = invoice.Paid
	require.False(t, due.Overdue(now))
}

func TestTakesTimeBack(t *testing.T) {
	t.Parallel()
	credit := invoice.Line{ID: "b", Kind: invoice.ProrationCredit, Amount: -5, Reverses: "a"}
	nothing, fee, unnamed := credit, credit, credit
	nothing.Amount, fee.Kind, unnamed.Reverses = 0, invoice.OneOff, ""
	for name, c := range map[string]struct {
		lines []invoice.Line
		want  bool
	}{
		"a credit of another invoice's line": {[]invoice.Line{credit}, true},
		"a credit that names no line":        {[]invoice.Line{unnamed}, true},
		"a credit of its own line":           {[]invoice.Line{{ID: "a", Amount: 5}, credit}, false},
		"a credit of nothing":                {[]invoice.Line{nothing}, false},
		"a fee below zero":                   {[]invoice.Line{fee}, false},
		"no lines":                           {nil, false},
	} {
		require.Equal(t, c.want, invoice.Invoice{Lines: c.lines}.TakesTimeBack(), name)
	}
}

func TestProrated(t *testing.T) {
	t.Parallel()
	for kind, want := range map[invoice.LineKind]bool{
		invoice.ProrationCredit: true, invoice.ProrationCharge: true, invoice.Recurring: false, invoice.OneOff: false,
	} {
		require.Equal(t, want, invoice.Line{Kind: kind}.Prorated(), kind)
	}
}

// Credits from before lines had items name no price and no line: they take the time of their plan back, of no other.
func TestBilling_CreditOfAWholePlan(t *testing.T) {
	t.Parallel()
	billed := invoice.Line{ID: "a", Kind: invoice.Recurring, ItemID: "si_1", PriceID: "price_1", PlanID: "plan_1"}
	for planID, want := range map[string]bool{"plan_1": false, "plan_2": true} {
		credit := invoice.Line{ID: "b", Kind: invoice.ProrationCredit, PlanID: planID, Amount: -1}
		_, ok := invoice.Billing([]invoice.Invoice{{Status: invoice.Paid, Lines: []invoice.Line{billed, credit}}}, "si_1", 0)
		require.Equal(t, want, ok, planID)
	}
}
