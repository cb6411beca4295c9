package creditnote_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/creditnote"
	"perennial/billing/fault"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/tax"
)

func rate(id, percent string, inclusive bool) tax.Rate {
	p, err := money.ParseDecimal(percent)
	if err != nil {
		panic(err)
	}
	return tax.Rate{ID: id, Percent: p, Inclusive: inclusive}
}

// issued is an invoice of lines, open or paid.
func issued(t require.TestingT, status invoice.Status, lines ...invoice.Line) invoice.Invoice {
	out, err := invoice.Draft{Lines: lines}.Issue(invoice.Issuing{ID: "in_1", Currency: "EUR"})
	require.NoError(t, err)
	inv := out.Invoice
	if status != invoice.Open {
		inv = inv.Settle(inv.IssuedAt)
	}
	inv.Status = status
	return inv
}

// book credits an invoice as lifecycle does.
func book(inv invoice.Invoice, n creditnote.Note) invoice.Invoice {
	lines := map[string]money.Minor{}
	for _, l := range n.Lines {
		lines[l.InvoiceLineID] += l.Amount
	}
	inv, _ = inv.Credit(invoice.Credited{Total: n.Total, Tax: n.Tax, Due: n.Due, Refund: n.Refund}, lines, n.Balance,
		invoice.Gone{}, money.Limits{})
	return inv
}

// TestIssue_AllNotesAreTheInvoice credits an invoice in any steps: no note exceeds the rest, and when nothing is left,
// the notes have the invoice's total and every one of its taxes.
func TestIssue_AllNotesAreTheInvoice(t *testing.T) {
	t.Parallel()
	rates := []tax.Rate{rate("txr_1", "19.25", false), rate("txr_2", "7", true), rate("txr_3", "2.5", false)}
	rapid.Check(t, func(t *rapid.T) {
		var lines []invoice.Line
		for i := range rapid.IntRange(1, 4).Draw(t, "lines") {
			line := invoice.Line{ID: string(rune('a' + i)), Amount: money.Minor(rapid.Int64Range(1, 5000).Draw(t, "amount"))}
			for _, r := range rates {
				if rapid.Bool().Draw(t, "taxed") {
					line.Rates = append(line.Rates, r)
				}
			}
			lines = append(lines, line)
		}
		status := rapid.SampledFrom([]invoice.Status{invoice.Open, invoice.Paid}).Draw(t, "status")
		inv := issued(t, status, lines...)
		var given creditnote.Given
		for {
			ask := creditnote.Request{Amount: money.Minor(rapid.Int64Range(0, 4000).Draw(t, "amount of the note"))}
			if line := rapid.IntRange(0, 2*len(lines)).Draw(t, "line"); line < len(lines) {
				ask = creditnote.Request{Lines: []creditnote.Line{{
					InvoiceLineID: lines[line].ID, Amount: money.Minor(rapid.Int64Range(1, 5000).Draw(t, "of the line")),
				}}}
			}
			note, err := creditnote.Issue(inv, ask, given)
			if err != nil {
				require.Equal(t, "credit_exceeds_", fault.From(err).Code[:15])
				note, err = creditnote.Issue(inv, creditnote.Request{}, given) // the rest
				require.NoError(t, err)
			}
			require.Positive(t, note.Total)
			require.Equal(t, note.Total, note.Subtotal+note.Tax)
			require.Equal(t, note.Total, note.Due+note.Balance+note.Refund)
			given.Notes, inv = append(given.Notes, note), book(inv, note)
			require.LessOrEqual(t, inv.Credited.Total, inv.Total)
			require.GreaterOrEqual(t, inv.AmountDue, money.Minor(0))
			for _, l := range inv.Lines {
				require.LessOrEqual(t, l.Credited, l.Amount)
			}
			if inv.Credited.Total == inv.Total {
				break
			}
		}
		sums := map[string]money.Minor{}
		for _, n := range given.Notes {
			for _, on := range n.Taxes {
				sums[on.ID] += on.Amount
			}
		}
		for _, on := range inv.Taxes {
			require.Equal(t, on.Amount, sums[on.ID], "the notes' taxes are the invoice's")
		}
		require.Equal(t, inv.Tax, inv.Credited.Tax)
		_, err := creditnote.Issue(inv, creditnote.Request{}, given)
		require.ErrorIs(t, err, creditnote.ErrNothingLeft)
	})
}

func TestIssue_Refuses(t *testing.T) {
	t.Parallel()
	line := invoice.Line{ID: "a", Amount: 1000}
	paid, open := issued(t, invoice.Paid, line), issued(t, invoice.Open, line)
	reversed := creditnote.Given{Reversed: map[string]money.Minor{"a": 600}}
	of := func(amount money.Minor) creditnote.Request {
		return creditnote.Request{Lines: []creditnote.Line{{InvoiceLineID: "a", Amount: amount}}}
	}
	for name, c := range map[string]struct {
		inv   invoice.Invoice
		ask   creditnote.Request
		given creditnote.Given
		code  string
	}{
		"a void one": {
			issued(t, invoice.Void, line), creditnote.Request{}, creditnote.Given{}, "invoice_not_creditable",
		},
		"money of an open one": {
			open, creditnote.Request{InMoney: true}, creditnote.Given{}, "credit_of_open_invoice",
		},
		"more than there is": {
			paid, creditnote.Request{Amount: 1001}, creditnote.Given{}, "credit_exceeds_invoice",
		},
		"another line": {
			paid, creditnote.Request{Lines: []creditnote.Line{{InvoiceLineID: "b", Amount: 1}}}, creditnote.Given{},
			"credit_line_unknown",
		},
		"more than the line":           {paid, of(1001), creditnote.Given{}, "credit_exceeds_line"},
		"time that a change took back": {paid, of(401), reversed, "credit_exceeds_line"},
		"the amount of that time":      {paid, creditnote.Request{Amount: 401}, reversed, "credit_exceeds_invoice"},
		"money that went back":         {paid, of(301), creditnote.Given{Money: 700}, "credit_exceeds_invoice"},
		"nothing left": {
			paid, creditnote.Request{}, creditnote.Given{Money: 1000}, "invoice_nothing_to_credit",
		},
		"more money than the note": {
			paid, creditnote.Request{Amount: 10, InMoney: true, RefundAmount: 11}, creditnote.Given{},
			"refund_exceeds_credit_note",
		},
		"lines that a credit has used": {
			issued(t, invoice.Paid, line, invoice.Line{ID: "b", Amount: -600}), of(401), creditnote.Given{},
			"credit_exceeds_invoice",
		},
	} {
		_, err := creditnote.Issue(c.inv, c.ask, c.given)
		require.Equal(t, c.code, fault.From(err).Code, name)
	}
}

func TestIssue_Destinations(t *testing.T) {
	t.Parallel()
	line := invoice.Line{ID: "a", Amount: 1000}
	paid, open := issued(t, invoice.Paid, line), issued(t, invoice.Open, line)
	half := open
	half.CreditApplied, half.AmountDue, half.BroughtForward = 700, 350, 50
	for name, c := range map[string]struct {
		inv  invoice.Invoice
		ask  creditnote.Request
		want [3]money.Minor // due, balance, refund
	}{
		"open":                         {open, creditnote.Request{Amount: 400}, [3]money.Minor{400, 0, 0}},
		"open, paid by credit in part": {half, creditnote.Request{}, [3]money.Minor{300, 700, 0}},
		"paid":                         {paid, creditnote.Request{Amount: 400}, [3]money.Minor{0, 400, 0}},
		"paid, in money":               {paid, creditnote.Request{Amount: 400, InMoney: true}, [3]money.Minor{0, 0, 400}},
		"paid, split": {
			paid, creditnote.Request{Amount: 400, InMoney: true, RefundAmount: 150}, [3]money.Minor{0, 250, 150},
		},
		"paid, in tens": {
			paid, creditnote.Request{Amount: 399, InMoney: true, Granularity: 10}, [3]money.Minor{0, 9, 390},
		},
		"paid, less than ten": {
			paid, creditnote.Request{Amount: 7, InMoney: true, Granularity: 10}, [3]money.Minor{0, 7, 0},
		},
	} {
		n, err := creditnote.Issue(c.inv, c.ask, creditnote.Given{})
		require.NoError(t, err, name)
		require.Equal(t, c.want, [3]money.Minor{n.Due, n.Balance, n.Refund}, name)
	}
}

// TestIssue_Left credits all that is left of an invoice. The comments show the figures, calculated by hand.
func TestIssue_Left(t *testing.T) {
	t.Parallel()
	plain := func(id string, amount money.Minor) invoice.Line { return invoice.Line{ID: id, Amount: amount} }
	ten := invoice.Line{ID: "b", Amount: 1000, Rates: []tax.Rate{rate("txr_1", "10", false)}}
	noted := func(n creditnote.Note) creditnote.Given {
		n.Total = n.Subtotal
		n.Lines = []creditnote.Line{{InvoiceLineID: "a", Amount: n.Subtotal}}
		return creditnote.Given{Notes: []creditnote.Note{n}}
	}
	beside, refunded, reversed := noted(creditnote.Note{Subtotal: 300}),
		noted(creditnote.Note{Subtotal: 300, Refund: 300}),
		noted(creditnote.Note{Subtotal: 700})
	beside.Money, refunded.Money, reversed.Reversed = 500, 300, map[string]money.Minor{"a": 600}
	for name, c := range map[string]struct {
		lines []invoice.Line
		given creditnote.Given
		want  money.Minor
	}{
		"a note and money beside it":      {[]invoice.Line{plain("a", 1000)}, beside, 200},   // 1000 - 300 - 500
		"the money of a note counts once": {[]invoice.Line{plain("a", 1000)}, refunded, 700}, // 1000 - 300
		// Of a, 300 were left when a change took its unused time back: 1500 - 700 - 300.
		"time taken back of what a note left": {[]invoice.Line{plain("a", 1000), plain("b", 500)}, reversed, 500},
		// 1100 - 600 - 60, and one that the other invoice may have rounded up.
		"time taken back with its taxes": {
			[]invoice.Line{ten}, creditnote.Given{Reversed: map[string]money.Minor{"b": 600}}, 439,
		},
		// 1000 + 1100 - 600: a has no taxes to round.
		"time taken back without taxes": {
			[]invoice.Line{plain("a", 1000), ten}, creditnote.Given{Reversed: map[string]money.Minor{"a": 600}}, 1500,
		},
	} {
		note, err := creditnote.Issue(issued(t, invoice.Paid, c.lines...), creditnote.Request{}, c.given)
		require.NoError(t, err, name)
		require.Equal(t, c.want, note.Total, name)
	}
}

// TestIssue_LastNoteHasTheRestOfTheTaxes credits a line of 1000 and its 10 % in parts of 300, 300 and 400.
func TestIssue_LastNoteHasTheRestOfTheTaxes(t *testing.T) {
	t.Parallel()
	r := rate("txr_1", "10", false)
	inv := issued(t, invoice.Paid, invoice.Line{ID: "a", Amount: 1000, Rates: []tax.Rate{r}})
	var given creditnote.Given
	for _, part := range []money.Minor{300, 300, 400} {
		note, err := creditnote.Issue(
			inv, creditnote.Request{Lines: []creditnote.Line{{InvoiceLineID: "a", Amount: part}}}, given,
		)
		require.NoError(t, err)
		require.Equal(t, invoice.Taxes{{Rate: r, Base: part, Amount: part / 10}}, note.Taxes)
		given.Notes = append(given.Notes, note)
	}
}

// TestIssue_LineBesideACredit: of 1000 - 600, a note may give back 400 of the line.
func TestIssue_LineBesideACredit(t *testing.T) {
	t.Parallel()
	inv := issued(t, invoice.Paid, invoice.Line{ID: "a", Amount: 1000}, invoice.Line{ID: "b", Amount: -600})
	note, err := creditnote.Issue(
		inv, creditnote.Request{Lines: []creditnote.Line{{InvoiceLineID: "a", Amount: 400}}}, creditnote.Given{},
	)
	require.NoError(t, err)
	require.Equal(t, money.Minor(400), note.Total)
}

func TestIssue_RefusalNamesTheLines(t *testing.T) {
	t.Parallel()
	inv := issued(t, invoice.Paid, invoice.Line{ID: "a", Amount: 1000})
	_, err := creditnote.Issue(
		inv, creditnote.Request{Lines: []creditnote.Line{{InvoiceLineID: "a", Amount: 1001}}}, creditnote.Given{},
	)
	require.Equal(t, "lines", fault.From(err).Param)
}
