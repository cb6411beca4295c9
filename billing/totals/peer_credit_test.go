package totals_test

import (
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/balance"
	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

func checkCreditNote(t *testing.T, in struct {
	Fee  money.Minor   `json:"invoice_fee"`
	Tax  money.Decimal `json:"tax_rate_percent"`
	Item money.Minor
}, want struct{ Tax, Total *money.Minor }) {
	d := totals.Draft{
		Lines: []totals.Line{{Amount: in.Fee, Rates: []int{0}}}, Rates: []tax.Rate{{Percent: in.Tax}},
	}
	got, err := totals.CreditNote(d, []totals.Item{{Line: 0, Amount: in.Item}}, totals.Credited{})
	require.NoError(t, err)
	equalMinor(t, want.Tax, got.Tax, "tax")
	equalMinor(t, want.Total, got.Total, "total")
}

type creditNoteFee struct {
	Amount   money.Minor
	Rates    []money.Decimal `json:"tax_rates_percent"`
	Discount string          // none: discountsOfFees decides about it
}

type creditNoteInput struct {
	Fees   []creditNoteFee
	Coupon money.Minor
	Items  []struct {
		Fee    int
		Amount money.Minor
	}
	Before []money.Minor `json:"credited_before"`
}

type creditNoteResult struct {
	Share   *money.Minor `json:"coupon_share"`
	Net     *money.Minor
	Tax     *money.Minor
	Total   *money.Minor
	Precise *string `json:"tax_precise"`
}

func checkCreditNoteOverFees(t *testing.T, in creditNoteInput, want creditNoteResult) {
	var fees couponTotalsInput
	for _, fee := range in.Fees {
		fees.Fees = append(fees.Fees, struct {
			Amount money.Minor
			Rates  []money.Decimal `json:"tax_rates_percent"`
		}{fee.Amount, fee.Rates})
	}
	d := fees.draft()
	if in.Coupon > 0 {
		d.Discounts = []totals.Discount{{Discount: discount.Discount{Amount: in.Coupon}}}
	}
	before := totals.Credited{Lines: make([]money.Minor, len(d.Lines))}
	for _, total := range in.Before {
		creditNext(t, d, total, &before)
	}
	var items []totals.Item
	for _, item := range in.Items {
		items = append(items, totals.Item{Line: item.Fee, Amount: item.Amount})
	}
	got, err := totals.CreditNote(d, items, before)
	require.NoError(t, err)
	equalMinor(t, want.Share, got.Discount, "share of the coupon")
	equalMinor(t, want.Net, got.Net, "net")
	equalMinor(t, want.Tax, got.Tax, "tax")
	equalMinor(t, want.Total, got.Total, "total")
	if want.Precise != nil {
		requirePrecise(t, *want.Precise, d, items, before)
	}
}

// creditNext repeats an earlier note whose total alone the case has: it credits the rest of the next line, or the part
// of it that has that total.
func creditNext(t *testing.T, d totals.Draft, total money.Minor, before *totals.Credited) {
	t.Helper()
	line := 0
	for before.Lines[line] == d.Lines[line].Amount {
		line++
	}
	item := totals.Item{Line: line, Amount: d.Lines[line].Amount - before.Lines[line]}
	note, err := totals.CreditNote(d, []totals.Item{item}, *before)
	require.NoError(t, err)
	for note.Total > total {
		item.Amount--
		note, err = totals.CreditNote(d, []totals.Item{item}, *before)
		require.NoError(t, err)
	}
	require.Equal(t, total, note.Total)
	before.Lines[line] += item.Amount
	before.Net += note.Net
	before.Tax += note.Tax
}

// requirePrecise compares the tax before rounding: of the items, or for the last note all that is left of the
// invoice's.
func requirePrecise(t *testing.T, want string, d totals.Draft, items []totals.Item, before totals.Credited) {
	t.Helper()
	sums, err := totals.Of(d)
	require.NoError(t, err)
	taxOf := func(line int, amount money.Minor) *big.Rat {
		part := new(big.Rat).SetFrac64(int64(amount), int64(d.Lines[line].Amount))
		part.Mul(part, sums.Lines[line].Net)
		return part.Mul(part, d.Rates[d.Lines[line].Rates[0]].Percent.Hundredth().Rat())
	}
	exact, rest, left := new(big.Rat), new(big.Rat).SetInt64(-int64(before.Tax)), money.Minor(0)
	for i, line := range d.Lines {
		require.Len(t, line.Rates, 1)
		rest.Add(rest, taxOf(i, line.Amount))
		left += line.Amount - before.Lines[i]
	}
	for _, item := range items {
		exact.Add(exact, taxOf(item.Line, item.Amount))
		left -= item.Amount
	}
	if left == 0 {
		exact = rest
	}
	expected, ok := new(big.Rat).SetString(want)
	require.True(t, ok)
	require.Equal(t, expected.FloatString(5), exact.FloatString(5))
}

// checkCreditNotesOnInvoice uses notes as grants, the oldest first.
func checkCreditNotesOnInvoice(t *testing.T, in struct {
	Total money.Minor
	Notes []money.Minor `json:"credit_notes"`
}, want struct {
	Applied []money.Minor
	Sum     *money.Minor `json:"applied_total"`
	Left    []money.Minor
}) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var grants []balance.Grant
	for i, amount := range in.Notes {
		grants = append(grants, balance.Grant{
			ID: string(rune('a' + i)), GivenAt: now.AddDate(0, 0, i-len(in.Notes)), Left: amount,
		})
	}
	applied, left := []money.Minor{}, append([]money.Minor(nil), in.Notes...)
	var sum money.Minor
	for _, use := range balance.Take(grants, in.Total, now) {
		applied = append(applied, use.Amount)
		left[use.ID[0]-'a'] -= use.Amount
		sum += use.Amount
	}
	require.Equal(t, want.Applied, applied)
	equalMinor(t, want.Sum, sum, "sum")
	if want.Left != nil {
		require.Equal(t, want.Left, left)
	}
}

func checkTerminationInvoice(t *testing.T, in struct {
	Usage  money.Minor   `json:"usage_fee"`
	Tax    money.Decimal `json:"tax_rate_percent"`
	Credit money.Minor   `json:"credit_note_balance"`
}, want struct {
	Tax     *money.Minor
	Applied *money.Minor `json:"credit_applied"`
	Total   *money.Minor
	Left    *money.Minor `json:"credit_note_balance_left"`
}) {
	got, err := totals.Of(totals.Draft{
		Lines: []totals.Line{{Amount: in.Usage, Rates: []int{0}}}, Rates: []tax.Rate{{Percent: in.Tax}}, Credit: in.Credit,
	})
	require.NoError(t, err)
	equalMinor(t, want.Tax, got.Tax, "tax")
	equalMinor(t, want.Applied, got.Credit, "credit")
	equalMinor(t, want.Total, got.Due, "total")
	equalMinor(t, want.Left, in.Credit-got.Credit, "credit left")
}
