package invoice_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/period"
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
		"a correction of usage":              {[]invoice.Line{{Kind: invoice.Metered, Amount: -5}}, true},
		"usage":                              {[]invoice.Line{{Kind: invoice.Metered, Amount: 5}}, false},
		"usage of nothing":                   {[]invoice.Line{{Kind: invoice.Metered}}, false},
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

// The line that bills an item is neither its credit nor usage.
func TestBilling_IsALineInAdvance(t *testing.T) {
	t.Parallel()
	billed := invoice.Line{ID: "a", Kind: invoice.Recurring, ItemID: "si", PeriodIndex: 1, Amount: 1000}
	for _, other := range []invoice.Line{
		{ID: "b", Kind: invoice.Metered, ItemID: "si", PeriodIndex: 1, Amount: 5},
		{ID: "b", Kind: invoice.ProrationCredit, ItemID: "si", PeriodIndex: 1, Amount: -5, PriceID: "price", Reverses: "x"},
	} {
		line, ok := invoice.Billing([]invoice.Invoice{
			{Status: invoice.Paid, Number: 1, Lines: []invoice.Line{billed}},
			{Status: invoice.Paid, Number: 2, Lines: []invoice.Line{other}},
		}, "si", 1)
		require.True(t, ok, other.Kind)
		require.Equal(t, "a", line.ID, other.Kind)
	}
}

// On the invoice of a period, lines that waited for it follow its own, with the credits that take them back.
func TestBillingUntil_BesideLinesThatWaitedAndWereTakenBack(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)
	line := func(id string, kind invoice.LineKind, reverses string) invoice.Line {
		return invoice.Line{
			ID: id, Kind: kind, ItemID: "si_1", PriceID: "price_1", Reverses: reverses, Period: period.Period{End: end},
		}
	}
	paid := invoice.Invoice{ID: "in_1", Number: 1, Status: invoice.Paid, Lines: []invoice.Line{
		line("new", invoice.ProrationCharge, ""), line("waited", invoice.ProrationCharge, ""),
		line("back", invoice.ProrationCredit, "waited"),
	}}

	got, ok, billed := invoice.BillingUntil([]invoice.Invoice{paid}, "si_1", end, 0)

	require.Equal(t, []any{"new", true, true}, []any{got.ID, ok, billed})
	paid.Lines = append(paid.Lines, line("end", invoice.ProrationCredit, "new"))
	_, ok, billed = invoice.BillingUntil([]invoice.Invoice{paid}, "si_1", end, 0)
	require.Equal(t, []bool{false, false}, []bool{ok, billed})
}

// What a person gave up counts as billed for an item that stays, and not for one that joined later.
func TestBillingUntil_GivenUpBeforeTheItemJoined(t *testing.T) {
	t.Parallel()
	end := time.Date(2026, 4, 30, 0, 0, 0, 0, time.UTC)
	line := invoice.Line{ID: "il_1", Kind: invoice.Recurring, ItemID: "si_1", Period: period.Period{End: end}}
	inv := invoice.Invoice{ID: "in_1", Number: 1, PeriodIndex: 2, Status: invoice.Void, Lines: []invoice.Line{line}}
	for joined, want := range map[int]bool{0: true, 1: true, 2: true, 3: false} {
		_, ok, billed := invoice.BillingUntil([]invoice.Invoice{inv}, "si_1", end, joined)
		require.Equal(t, []bool{false, want}, []bool{ok, billed}, "joined with %d", joined)
	}
	inv.Status = invoice.Paid
	_, ok, billed := invoice.BillingUntil([]invoice.Invoice{inv}, "si_1", end, 3)
	require.Equal(t, []bool{true, true}, []bool{ok, billed})
}
