package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/invoice"
	"perennial/billing/money"
)

func TestOwnDue_IsWithoutWhatEarlierInvoicesBrought(t *testing.T) {
	t.Parallel()
	require.Equal(t, money.Minor(300), invoice.Invoice{AmountDue: 350, BroughtForward: 50}.OwnDue())
	require.Equal(t, money.Minor(0), invoice.Invoice{AmountDue: 30, BroughtForward: 50}.OwnDue())
}

// TestCredit_AddsUp books a second credit note of a paid invoice: 300, of which 200 go back in money and 100 to the
// balance.
func TestCredit_AddsUp(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{
		Status: invoice.Paid, Total: 1100, Lines: []invoice.Line{
			{ID: "a", Amount: 1000, Credited: 90}, {ID: "b", Amount: 50},
		},
		Credited: invoice.Credited{Total: 100, Tax: 10, Due: 5, Refund: 40},
	}
	got, entries := inv.Credit(invoice.Credited{Total: 300, Tax: 30, Due: 7, Refund: 200},
		map[string]money.Minor{"a": 270}, 100, invoice.Gone{}, money.Limits{})
	require.Equal(t, invoice.Credited{Total: 400, Tax: 40, Due: 12, Refund: 240}, got.Credited)
	require.Equal(t, []money.Minor{360, 0}, []money.Minor{got.Lines[0].Credited, got.Lines[1].Credited})
	require.Equal(t, money.Minor(90), inv.Lines[0].Credited, "the invoice as it was keeps its lines")
	require.Equal(t, []invoice.CreditEntry{{Amount: 100, Reason: invoice.CreditNoted}}, entries)
}

// TestCredit_WhatTheProviderCannotTakeIsCarried: of 1000 due, 960 are credited. 40 are below the minimum of 50, and are
// carried with the 5 that were before.
func TestCredit_WhatTheProviderCannotTakeIsCarried(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{Status: invoice.Open, Total: 1005, AmountDue: 1000, CarriedForward: 5}
	got, entries := inv.Credit(invoice.Credited{Total: 960, Due: 960}, nil, 0, invoice.Gone{}, money.Limits{Minimum: 50})
	require.Equal(t, []money.Minor{0, 45}, []money.Minor{got.AmountDue, got.CarriedForward})
	require.Equal(t, []invoice.CreditEntry{{Amount: -40, Reason: invoice.CreditCarriedForward}}, entries)
}

// TestCredit_GrantsAreGivenBackLast credits an invoice of 1000, half of which was paid by grants: the first 500 that go
// back were paid in another way.
func TestCredit_GrantsAreGivenBackLast(t *testing.T) {
	t.Parallel()
	used := balance.Uses{{ID: "g1", Amount: 300}, {ID: "g2", Amount: 200}}
	for name, c := range map[string]struct {
		credited money.Minor
		gone     invoice.Gone
		amount   money.Minor
		want     [3]money.Minor // to g1, g2 and the plain balance
	}{
		"the first half":            {0, invoice.Gone{}, 500, [3]money.Minor{0, 0, 500}},
		"beyond it, the last first": {0, invoice.Gone{}, 600, [3]money.Minor{0, 100, 500}},
		"after money went back":     {0, invoice.Gone{Beside: 300}, 300, [3]money.Minor{0, 100, 200}}, // 600 in all
		"a second note": {
			600, invoice.Gone{ToGrants: balance.Uses{{ID: "g2", Amount: 100}}}, 200, [3]money.Minor{100, 100, 0},
		},
		// 100 went to g2 when 300 had gone back without a note besides a note of 300; those 300 are void since. 300 +
		// 350 exceed the half by 150, of which g2 had 100.
		"less went back beside it than before": {
			300, invoice.Gone{ToGrants: balance.Uses{{ID: "g2", Amount: 100}}}, 350, [3]money.Minor{0, 50, 300},
		},
	} {
		inv := invoice.Invoice{Status: invoice.Paid, Total: 1000, GrantsUsed: used,
			Credited: invoice.Credited{Total: c.credited}}
		_, entries := inv.Credit(invoice.Credited{Total: c.amount}, nil, c.amount, c.gone, money.Limits{})
		var got [3]money.Minor
		for _, e := range entries {
			require.Equal(t, invoice.CreditNoted, e.Reason, name)
			got[map[string]int{"g1": 0, "g2": 1, "": 2}[e.GrantID]] += e.Amount
		}
		require.Equal(t, c.want, got, name)
	}
}

func TestUncredited(t *testing.T) {
	t.Parallel()
	off := invoice.Shares{{CouponID: "c", Amount: 200}}
	for name, c := range map[string]struct {
		line invoice.Line
		want money.Minor
	}{
		"nothing credited":                   {invoice.Line{Amount: 1000, Discounts: off}, 1000},
		"600 of 800 are left: 1000 × 6 ÷ 8":  {invoice.Line{Amount: 1000, Discounts: off, Credited: 200}, 750},
		"all of it credited":                 {invoice.Line{Amount: 1000, Discounts: off, Credited: 800}, 0},
		"a line of nothing after discounts":  {invoice.Line{Amount: 200, Discounts: off}, 200},
		"a credit, which no note gives back": {invoice.Line{Amount: -300}, -300},
	} {
		require.Equal(t, c.want, c.line.Uncredited(), name)
	}
}
