package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

func rate(id string, percent int64, inclusive bool) tax.Rate {
	return tax.Rate{ID: id, Percent: money.Whole(percent), Inclusive: inclusive}
}

func taxed(amount money.Minor, rates ...tax.Rate) invoice.Line {
	return invoice.Line{Amount: amount, Rates: rates}
}

// TestSums_TaxesGiveNoMoreBackThanThereIs is section 5 of docs/rounding.md: the last taxes give less.
func TestSums_TaxesGiveNoMoreBackThanThereIs(t *testing.T) {
	t.Parallel()
	ten, five, contained := rate("txr_1", 10, false), rate("txr_2", 5, false), rate("txr_3", 20, true)
	two := []invoice.Line{taxed(-100, ten, five)}                       // -100 - 10 - 5
	beside := []invoice.Line{taxed(-120, ten, contained)}               // contains 20; 10 are added to -100
	mixed := []invoice.Line{taxed(-100, ten), taxed(100, five)}         // -10 and 5
	several := []invoice.Line{taxed(-100, ten), taxed(-200, ten, five)} // -30 and -10
	for name, c := range map[string]struct {
		lines      []invoice.Line
		creditable invoice.Creditable
		tax, total money.Minor
		taxes      []money.Minor
	}{
		"as much as there is": {
			two, invoice.Creditable{Total: 115, Tax: 15}, -15, -115, []money.Minor{-10, -5},
		},
		"one of tax less": {
			two, invoice.Creditable{Total: 115, Tax: 14}, -14, -114, []money.Minor{-10, -4},
		},
		"seven in all less: five, then two": {two, invoice.Creditable{Total: 108, Tax: 15}, -8, -108, []money.Minor{-8, 0}},
		"never less than the lines":         {two, invoice.Creditable{Total: 50, Tax: 15}, 0, -100, []money.Minor{0, 0}},
		"what a line contains stays": {
			beside, invoice.Creditable{Total: 129, Tax: 10}, -9, -129, []money.Minor{-9, -20},
		},
		"what is charged stays": {mixed, invoice.Creditable{Total: 5, Tax: 3}, -3, -3, []money.Minor{-8, 5}},
		"lines of one rate are one tax": {
			several, invoice.Creditable{Total: 340, Tax: 40}, -40, -340, []money.Minor{-30, -10},
		},
		"four in all less": {
			several, invoice.Creditable{Total: 336, Tax: 40}, -36, -336, []money.Minor{-30, -6},
		},
	} {
		got, err := invoice.Draft{Lines: c.lines, Creditable: c.creditable}.Sums()
		require.NoError(t, err, name)
		require.Equal(t, []money.Minor{c.tax, c.total}, []money.Minor{got.Tax, got.Total}, name)
		var taxes []money.Minor
		for _, on := range got.Taxes {
			taxes = append(taxes, on.Amount)
		}
		require.Equal(t, c.taxes, taxes, name)
	}
}

// TestIssue_RefundOfCreditInHand: of 300 in hand, 100 pay the invoice, so that at most 200 go back in money.
func TestIssue_RefundOfCreditInHand(t *testing.T) {
	t.Parallel()
	issued, err := invoice.Draft{Lines: lines(100), Refund: 250}.Issue(invoice.Issuing{
		Balance: 300, Refunds: []invoice.Refundable{{Amount: 500}}, Now: now,
	})
	require.NoError(t, err)
	require.Equal(t, money.Minor(200), issued.Refund)
	require.Equal(t, []invoice.CreditEntry{
		{Amount: -100, Reason: invoice.CreditApplied}, {Amount: -200, Reason: invoice.CreditRefunded},
	}, issued.Credit)
}

// Of 1000, a grant pays 300 and the plain balance the other 700, of the 900 that it has.
func TestIssue_GrantsPayBeforeTheBalance(t *testing.T) {
	t.Parallel()
	issued, err := invoice.Draft{Lines: lines(1000)}.Issue(invoice.Issuing{
		Balance: 900, Grants: []balance.Grant{{ID: "g1", Left: 300}}, Now: now,
	})
	require.NoError(t, err)
	require.Equal(t, []invoice.CreditEntry{
		{Amount: -300, Reason: invoice.CreditApplied, GrantID: "g1"}, {Amount: -700, Reason: invoice.CreditApplied},
	}, issued.Credit)
	require.Equal(t, money.Minor(1000), issued.Invoice.CreditApplied)
}

// An amount carried forward is collected with the next invoice that has an amount due.
func TestIssue_OfNothingCollectsNoDebit(t *testing.T) {
	t.Parallel()
	issued, err := invoice.Draft{Lines: lines(1000, -1000)}.Issue(invoice.Issuing{Balance: -600, Now: now})
	require.NoError(t, err)
	require.Equal(t, [2]money.Minor{0, 0}, [2]money.Minor{issued.Invoice.AmountDue, issued.Invoice.BroughtForward})
	require.Equal(t, invoice.Paid, issued.Invoice.Status)
	require.Empty(t, issued.Credit)
}
