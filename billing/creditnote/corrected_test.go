package creditnote_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"perennial/billing/creditnote"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/period"
	"perennial/billing/tax"
)

var january = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// calls is a line for usage in the month that starts so many months after January.
func calls(id string, month int, amount money.Minor) invoice.Line {
	return invoice.Line{
		ID: id, Kind: invoice.Metered, PriceID: "price_calls", Amount: amount,
		Period: period.Period{Start: january.AddDate(0, month, 0)},
	}
}

// Corrections of January's usage are of the lines that bill January, the first ones first, and never of lines on their
// own invoice, whose total they reduce.
func TestCorrected_IsOfEarlierLines(t *testing.T) {
	t.Parallel()
	noted := calls("a", 0, 10_000)
	noted.Credited = 7000
	halved := calls("b2", 0, -4000)
	halved.Discounts = invoice.Shares{{CouponID: "half", Amount: -2000}}
	on := func(id string, lines ...invoice.Line) invoice.Invoice { return invoice.Invoice{ID: id, Lines: lines} }
	for name, c := range map[string]struct {
		usage []invoice.Invoice
		of    int
		want  map[string]money.Minor
	}{
		"in part": {
			[]invoice.Invoice{on("1", calls("a", 0, 10_000)), on("2", calls("b", 0, -4000))}, 0,
			map[string]money.Minor{"a": 4000},
		},
		"after discounts": {
			[]invoice.Invoice{on("1", calls("a", 0, 10_000)), on("2", halved)}, 0,
			map[string]money.Minor{"a": 2000},
		},
		"another month": {
			[]invoice.Invoice{on("1", calls("a", 0, 10_000)), on("2", calls("b", 1, -4000))}, 0, map[string]money.Minor{},
		},
		"beside a credit note": {
			[]invoice.Invoice{on("1", noted), on("2", calls("b", 0, 5000)), on("3", calls("c", 0, -4000))}, 1,
			map[string]money.Minor{"b": 1000},
		},
		"given up": {
			[]invoice.Invoice{
				{ID: "1", Status: invoice.Uncollectible, Lines: []invoice.Line{calls("a", 0, 1000)}}, on("2", calls("b", 0, 500)),
				{ID: "3", Status: invoice.Uncollectible, Lines: []invoice.Line{calls("c", 0, -500)}},
			}, 1, map[string]money.Minor{"b": 500},
		},
		"on the same invoice": {
			[]invoice.Invoice{on("1", calls("a", 0, 1000)), on("2", calls("b", 0, 3000), calls("c", 0, -2000))}, 1,
			map[string]money.Minor{},
		},
	} {
		require.Equal(t, c.want, creditnote.Corrected(c.usage[c.of], c.usage), name)
	}
}

// A credit on an invoice's own line took nothing back that it asks for.
func TestGiven_TakenBack(t *testing.T) {
	t.Parallel()
	inv := invoice.Invoice{Lines: []invoice.Line{
		{ID: "il_1", Amount: 500}, {ID: "il_2", Kind: invoice.ProrationCredit, Amount: -200, Reverses: "il_1"},
	}}
	sums := func(lineID string, amount money.Minor) map[string]money.Minor {
		return map[string]money.Minor{lineID: amount}
	}
	for _, c := range []struct {
		given creditnote.Given
		want  bool
	}{
		{creditnote.Given{}, false},
		{creditnote.Given{Reversed: sums("il_1", 200)}, false},
		{creditnote.Given{Reversed: sums("il_1", 201)}, true},
		{creditnote.Given{Reversed: sums("il_3", 300), Corrected: sums("il_3", 300)}, false},
		{creditnote.Given{Corrected: sums("il_1", 1)}, true},
	} {
		require.Equal(t, c.want, c.given.TakenBack(inv), c)
	}
}

// Notes and corrections together give back no more than the usage lines billed, whatever came first.
func TestIssue_GivesNoUsageBackTwice(t *testing.T) {
	t.Parallel()
	vat := []tax.Rate{rate("txr_1", "19", false)}
	rapid.Check(t, func(t *rapid.T) {
		flat := invoice.Line{ID: "flat", Kind: invoice.Recurring, Amount: 1000}
		used := calls("used", 0, money.Minor(rapid.Int64Range(1, 20_000).Draw(t, "used")))
		if rapid.Bool().Draw(t, "taxed") {
			flat.Rates, used.Rates = vat, vat
		}
		inv := issued(t, invoice.Paid, flat, used)
		usage, corrected := []invoice.Invoice{inv}, money.Minor(0)
		given := creditnote.Given{}
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			left := used.Amount - corrected - inv.Lines[1].Credited // metered.Afforded bounds corrections by it
			if most := int64(left); most > 0 && rapid.Bool().Draw(t, "corrects") {
				part := money.Minor(rapid.Int64Range(1, most).Draw(t, "corrected"))
				corrected += part
				usage = append(usage, invoice.Invoice{ID: "later", Lines: []invoice.Line{calls("back", 0, -part)}})
				continue
			}
			usage[0] = inv
			given.Corrected = creditnote.Corrected(inv, usage)
			note, err := creditnote.Issue(inv, creditnote.Request{
				Amount: money.Minor(rapid.Int64Range(0, 3000).Draw(t, "amount")),
			}, given)
			if err != nil {
				continue // more than what is left
			}
			given.Notes, inv = append(given.Notes, note), book(inv, note)
		}
		require.LessOrEqual(t, inv.Lines[1].Credited+corrected, used.Amount)
		returned := invoice.Line{Amount: corrected, Rates: used.Rates}
		back, err := invoice.Draft{Lines: []invoice.Line{returned}}.Sums()
		require.NoError(t, err)
		require.LessOrEqual(t, inv.Credited.Total+back.Total, inv.Total+1, "a cent is the rounding of two taxes")
	})
}

// A refund without a note and a correction add up: neither went back with the other.
func TestIssue_AfterRefundAndCorrection(t *testing.T) {
	t.Parallel()
	inv := issued(t, invoice.Paid, calls("used", 0, 10_000))
	note, err := creditnote.Issue(inv, creditnote.Request{}, creditnote.Given{
		Corrected: map[string]money.Minor{"used": 4000}, Money: 5000,
	})
	require.NoError(t, err)
	require.Equal(t, money.Minor(1000), note.Total)
}
