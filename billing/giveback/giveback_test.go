package giveback_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/creditnote"
	"perennial/billing/giveback"
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

var vat = []tax.Rate{rate("vat", "19", false)}

// back takes an amount of a line back.
func back(of string, amount money.Minor, rates ...tax.Rate) invoice.Line {
	return invoice.Line{Kind: invoice.ProrationCredit, Reverses: of, Amount: -amount, Rates: rates}
}

// rest bills an amount.
func rest(id string, amount money.Minor, rates ...tax.Rate) invoice.Line {
	return invoice.Line{ID: id, Kind: invoice.ProrationCharge, Amount: amount, Rates: rates}
}

func draft(lines ...invoice.Line) invoice.Draft {
	return invoice.Draft{Lines: lines, Creditable: invoice.Creditable{Total: money.MaxMinor, Tax: money.MaxMinor}}
}

// home knows the lines a… of invoice in_a, and so on.
func home(lineID string) string {
	if lineID == "" || lineID == "?" {
		return ""
	}
	return "in_" + lineID[:1]
}

// known has usage of one segment: 50 and 40 on two invoices, of which an earlier correction took 10.
var known = giveback.Issued{Home: home, Usage: []invoice.OnInvoice{
	used("in_u", "u1", 50), used("in_v", "v1", 40), used("in_u", "u2", 30, func(l *invoice.Line) { l.PriceID = "other" }),
	used("in_w", "w1", -10), used("in_x", "x1", 70, func(l *invoice.Line) { l.Period.Start = time.Unix(9, 0) }),
	used("in_y", "y1", 20, func(l *invoice.Line) { l.Credited = 20 }),
	used("in_z", "z1", 5, func(l *invoice.Line) { l.PriceID = "unpaid" }),
	used("in_u", "t1", 40, taxed), used("in_v", "t2", 40, taxed),
}}

func used(on, id string, amount money.Minor, more ...func(*invoice.Line)) invoice.OnInvoice {
	l := invoice.Line{ID: id, Kind: invoice.Metered, PriceID: "calls", Amount: amount}
	for _, change := range more {
		change(&l)
	}
	return invoice.OnInvoice{InvoiceID: on, Paid: on != "in_z", Line: l}
}

// taxed makes a line one of a price with taxes.
func taxed(l *invoice.Line) { l.PriceID, l.Rates = "taxed", vat }

// corrected takes usage back.
func corrected(amount money.Minor) invoice.Line {
	return invoice.Line{Kind: invoice.Metered, PriceID: "calls", Amount: -amount}
}

var quarter = rate("quarter", "25", false)

// A draft becomes documents: what is on the invoice, and the notes with what they come to.
func TestOf(t *testing.T) {
	t.Parallel()
	half := back("a1", 1000)
	half.Discounts = invoice.Shares{{CouponID: "half", Amount: -500}}
	free := rest("", 900)
	free.Discounts = invoice.Shares{{CouponID: "all", Amount: 900}}
	for name, c := range map[string]struct {
		lines []invoice.Line
		bill  money.Minor // on the invoice; -1: there is none
		notes []string
		given money.Minor
	}{
		"a downgrade":         {[]invoice.Line{back("a1", 1500), rest("", 500)}, 500, []string{"in_a 1500"}, 1000},
		"to a free plan":      {[]invoice.Line{back("a1", 1500)}, -1, []string{"in_a 1500"}, 1500},
		"a change of nothing": {[]invoice.Line{back("a1", 500), rest("", 500)}, 500, []string{"in_a 500"}, 0},
		"of two invoices": {
			[]invoice.Line{back("a1", 100), back("b1", 300), back("a2", 7)}, -1, []string{"in_a 107", "in_b 300"}, 407,
		},
		"rounded alike":                    {[]invoice.Line{back("a1", 10, quarter), rest("", 2, quarter)}, 3, []string{"in_a 13"}, 10},
		"rounded alone":                    {[]invoice.Line{back("a1", 5, quarter), rest("", 2, quarter)}, 3, []string{"in_a 6"}, 3},
		"less its discount":                {[]invoice.Line{half}, -1, []string{"in_a 500"}, 500},
		"usage":                            {[]invoice.Line{corrected(15)}, -1, []string{"in_u 15"}, 15},
		"usage of two invoices":            {[]invoice.Line{corrected(60)}, -1, []string{"in_u 40", "in_v 20"}, 60},
		"usage, twice":                     {[]invoice.Line{corrected(30), corrected(50)}, -1, []string{"in_u 40", "in_v 40"}, 80},
		"usage and time, with their taxes": {[]invoice.Line{{Kind: invoice.Metered, PriceID: "taxed", Amount: -60, Rates: []tax.Rate{quarter}}, back("u9", 100, vat...)}, -1, []string{"in_u 167", "in_v 23"}, 190},
		"usage beside another period":      {[]invoice.Line{corrected(60), rest("", 50)}, 50, []string{"in_u 40", "in_v 20"}, 10},
		"with taxes": {
			[]invoice.Line{back("a1", 1000, vat...), rest("", 300, vat...)}, 357, []string{"in_a 1190"}, 833,
		},
		"nothing is left": {[]invoice.Line{back("a1", 0)}, -1, nil, 0},
		"an unpaid line":  {[]invoice.Line{rest("n", 700), back("n", 700), back("a1", 20)}, -1, []string{"in_a 20"}, 20},
		"a part of an unpaid": {
			[]invoice.Line{rest("n", 700), back("n", 300), back("a1", 500)}, 400, []string{"in_a 500"}, 100,
		},
		"an unpaid line alone": {[]invoice.Line{rest("n", 700), back("n", 700)}, -1, nil, 0},
		"a free rest":          {[]invoice.Line{back("a1", 20), free}, 0, []string{"in_a 20"}, 20},
	} {
		split, ok, err := giveback.Of(draft(c.lines...), known)
		require.NoError(t, err, name)
		require.True(t, ok, name)
		var notes []string
		for _, n := range split.Notes {
			notes = append(notes, fmt.Sprintf("%s %d", n.InvoiceID, n.Total))
		}
		require.Equal(t, c.notes, notes, name)
		require.Equal(t, c.given, split.Given, name)
		if c.bill < 0 {
			require.Empty(t, split.Bill.Lines, name)
			continue
		}
		sums, err := split.Bill.Sums()
		require.NoError(t, err, name)
		require.NotEmpty(t, split.Bill.Lines, name)
		require.Equal(t, c.bill, sums.Total, name)
	}
}

// An invoice stays one where it asks for money, takes nothing back, or takes back what no note can name.
func TestOf_StaysAnInvoice(t *testing.T) {
	t.Parallel()
	free := rest("", 100)
	free.Discounts = invoice.Shares{{CouponID: "all", Amount: 100}}
	for name, lines := range map[string][]invoice.Line{
		"an upgrade":                         {back("a1", 500), rest("", 501)},
		"a free period":                      {free},
		"no lines":                           nil,
		"of no known line":                   {back("?", 500)},
		"from before lines":                  {back("", 500)},
		"a correction of what is not known":  {{Kind: invoice.Metered, Amount: -500}},
		"a correction of more than was used": {corrected(81)},
		"a correction of an open invoice":    {{Kind: invoice.Metered, PriceID: "unpaid", Amount: -5}},
		"free after a full swap":             {free, rest("n", 10), back("n", 10)},
		"notes worth less than the rest, by rounding": {
			back("a1", 1, quarter), back("b1", 1, quarter), back("c1", 1, quarter), rest("", 3, quarter),
		},
	} {
		_, ok, err := giveback.Of(draft(lines...), known)
		require.NoError(t, err, name)
		require.False(t, ok, name)
	}
}

// Whatever the lines, discounts and taxes: notes alone come to what one invoice came to, to the minor unit; beside an
// invoice, each note is over no more than its lines with their own taxes. The lines of the notes are those that are
// taken back; and every sum adds up.
func TestOf_DocumentsComeToTheDraft(t *testing.T) {
	t.Parallel()
	rates := []tax.Rate{rate("a", "19.25", false), rate("b", "7", true), rate("c", "2.5", false)}
	rapid.Check(t, func(t *rapid.T) {
		var lines []invoice.Line
		taken := map[string]money.Minor{}
		for n := range rapid.IntRange(1, 6).Draw(t, "lines") {
			amount := money.Minor(rapid.Int64Range(0, 400).Draw(t, "amount"))
			l := rest("", amount)
			if rapid.Bool().Draw(t, "taken back") {
				of := fmt.Sprintf("%c%d", 'a'+rune(n%3), n)
				l = back(of, amount)
			}
			off := money.Minor(rapid.Int64Range(0, int64(amount)).Draw(t, "discount"))
			if l.Amount < 0 {
				off = -off
			}
			if off != 0 {
				l.Discounts = invoice.Shares{{CouponID: "coup", Amount: off}}
			}
			for _, r := range rates {
				if rapid.Bool().Draw(t, "taxed") {
					l.Rates = append(l.Rates, r)
				}
			}
			if l.Net() < 0 {
				taken[l.Reverses] -= l.Net()
			}
			lines = append(lines, l)
		}
		whole, err := draft(lines...).Sums()
		require.NoError(t, err)
		split, ok, err := giveback.Of(draft(lines...), known)
		require.NoError(t, err)
		if !ok {
			return
		}
		bill, err := split.Bill.Sums()
		require.NoError(t, err)
		require.GreaterOrEqual(t, bill.Total, money.Minor(0))
		var total, added money.Minor
		for _, n := range split.Notes {
			require.Positive(t, n.Total)
			require.GreaterOrEqual(t, n.Tax, money.Minor(0))
			require.Equal(t, n.Total, n.Subtotal+n.Tax)
			total += n.Total
			for _, l := range n.Lines {
				require.Equal(t, n.InvoiceID, home(l.InvoiceLineID))
				taken[l.InvoiceLineID] -= l.Amount
			}
			for _, on := range n.Taxes {
				require.GreaterOrEqual(t, on.Amount, money.Minor(0))
				if !on.Inclusive {
					added += on.Amount
				}
			}
			added -= n.Tax
		}
		require.Zero(t, added, "the taxes by rate sum to the tax")
		for id, left := range taken {
			require.Zero(t, left, "%s is taken back, whole and once", id)
		}
		less := bill.Total - total - whole.Total
		require.GreaterOrEqual(t, less, money.Minor(0), "the documents give back no more than the draft")
		require.LessOrEqual(t, less, money.Minor(len(rates)), "and less only by rounding")
		if len(split.Bill.Lines) == 0 {
			require.Zero(t, less, "the documents come to what the draft comes to")
		}
		for _, n := range split.Notes {
			var own []invoice.Line
			for _, l := range split.Back.Lines {
				if home(l.Reverses) == n.InvoiceID {
					own = append(own, l)
				}
			}
			alone, err := invoice.SumsOf(own)
			require.NoError(t, err)
			require.True(t, len(split.Bill.Lines) == 0 || n.Total <= -alone.Total, "more than the lines with their taxes")
		}
		require.Equal(t, -total, split.Sums.Total)
		require.Equal(t, total-bill.Total, split.Given)
		require.GreaterOrEqual(t, split.Given, money.Minor(0))
		require.Equal(t, split.Sums.Subtotal-split.Sums.Discount+split.Sums.Tax, split.Sums.Total)
	})
}

// Refunds give money back in the order of the notes, and no more than the amount.
func TestTo(t *testing.T) {
	t.Parallel()
	notes := []creditnote.Note{{Total: 50}, {Total: 30}}
	refunds := []giveback.Refund{{"re_1", 60}, {"re_2", 20}}
	for amount, want := range map[money.Minor][]creditnote.Note{
		0:  {{Total: 50, Balance: 50}, {Total: 30, Balance: 30}},
		40: {{Total: 50, Refund: 40, RefundID: "re_1", Balance: 10}, {Total: 30, Balance: 30}},
		70: {{Total: 50, Refund: 50, RefundID: "re_1"}, {Total: 30, Refund: 20, RefundID: "re_1", Balance: 10}},
		90: {{Total: 50, Refund: 50, RefundID: "re_1"}, {Total: 30, Refund: 30, RefundID: "re_1"}},
	} {
		require.Equal(t, want, giveback.To(notes, refunds, amount), "%d", amount)
	}
	require.Equal(t, []creditnote.Note{{Total: 50}, {Total: 30}}, notes, "they are not changed in place")
}

// What notes are over, by line and by rate, and what they come to together.
func TestOf_NotesInFull(t *testing.T) {
	t.Parallel()
	nothing := back("b2", 0, rate("zero", "7", false))
	split, ok, err := giveback.Of(draft(back("a1", 100, vat...), back("a1", 200, vat...), back("b1", 400, quarter),
		back("c1", 1000, vat...), nothing), known)
	require.NoError(t, err)
	require.True(t, ok)
	require.Len(t, split.Notes, 3)
	first := split.Notes[0]
	require.Equal(t, []creditnote.Line{{InvoiceLineID: "a1", Amount: 300}}, first.Lines, "a line once")
	require.Equal(t, invoice.Taxes{{Rate: vat[0], Base: 300, Amount: 57}}, first.Taxes)
	require.Equal(t, []money.Minor{300, 57, 357}, []money.Minor{first.Subtotal, first.Tax, first.Total})
	require.Equal(t, invoice.Taxes{
		{Rate: vat[0], Base: -1300, Amount: -247}, {Rate: quarter, Base: -400, Amount: -100}, {Rate: nothing.Rates[0]},
	}, split.Sums.Taxes, "each rate once, also that of a line of nothing")
	require.Equal(t, []money.Minor{-1700, -347, -2047},
		[]money.Minor{split.Sums.Subtotal, split.Sums.Tax, split.Sums.Total})
}

// Lines that are taken back whole on the same document leave no invoice, whatever the ids of the credits. Usage that
// costs nothing is on the invoice.
func TestOf_WhatStaysOnTheInvoice(t *testing.T) {
	t.Parallel()
	swapped := back("n", 700)
	swapped.ID = "m"
	split, ok, err := giveback.Of(draft(rest("n", 700), swapped, back("a1", 20)), known)
	require.NoError(t, err)
	require.True(t, ok)
	require.Empty(t, split.Bill.Lines)

	crossed := back("n", 700)
	crossed.ID = "n" // reverses a line, and has the id of another
	other := rest("o", 700)
	split, ok, err = giveback.Of(draft(rest("n", 0), other, crossed, back("a1", 20)), known)
	require.NoError(t, err)
	require.True(t, ok)
	require.Len(t, split.Bill.Lines, 3, "another line is taken back than the one that costs something")

	split, ok, err = giveback.Of(draft(corrected(0), rest("o", 5), back("a1", 20)), known)
	require.NoError(t, err)
	require.True(t, ok)
	require.Len(t, split.Bill.Lines, 2)
	require.Len(t, split.Back.Lines, 1)
}

// Sums beyond what an amount can be are refused, as a draft or split.
func TestOf_TooLarge(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]invoice.Line{
		"the draft":   {back("a1", money.MaxMinor), back("b1", money.MaxMinor)},
		"the invoice": {rest("o", money.MaxMinor), rest("p", money.MaxMinor), back("a1", money.MaxMinor), back("b1", money.MaxMinor)},
	} {
		_, ok, err := giveback.Of(draft(lines...), known)
		require.Error(t, err, name)
		require.False(t, ok, name)
	}
}

// A note that two refunds pay takes of the second what the first leaves. What no refund gives is in the balance.
func TestTo_SeveralRefunds(t *testing.T) {
	t.Parallel()
	notes := giveback.To(
		[]creditnote.Note{{Total: 100}, {Total: 400}, {Total: 50}},
		[]giveback.Refund{{ID: "txn_1", Amount: 60}, {ID: "txn_2", Amount: 70}}, 200)
	require.Equal(t, []creditnote.Note{
		{Total: 100, Refund: 100, RefundID: "txn_1"}, {Total: 400, Refund: 30, RefundID: "txn_2", Balance: 370},
		{Total: 50, Balance: 50},
	}, notes)
}
