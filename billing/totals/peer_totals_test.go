package totals_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/discount"
	"perennial/billing/money"
	"perennial/billing/tax"
	"perennial/billing/totals"
)

// rates are taxes that are added, and their places.
func rates(percents []money.Decimal) (rates []tax.Rate, places []int) {
	for i, percent := range percents {
		rates, places = append(rates, tax.Rate{Percent: percent}), append(places, i)
	}
	return rates, places
}

// equalUnits compares with an amount in major units, if the case has one.
func equalUnits(t *testing.T, want *money.Decimal, got money.Minor, c money.Currency, what string) {
	t.Helper()
	if want != nil {
		require.Zero(t, want.Cmp(money.Units(got, c)), "%s: %s, not %d", what, want, got)
	}
}

func checkTrueUp(t *testing.T, in struct {
	inCurrency
	Commitment, Used money.Decimal
}, want struct {
	TrueUp *money.Decimal `json:"true_up"`
}) {
	commitment, err := in.Commitment.Round(in.Currency)
	require.NoError(t, err)
	used, err := in.Used.Round(in.Currency)
	require.NoError(t, err)
	equalUnits(t, want.TrueUp, max(commitment-used, 0), in.Currency, "true-up")
}

type offInput struct {
	Line    *int
	Percent money.Decimal `json:"percent_off"`
	Amount  money.Decimal `json:"amount_off"`
}

func (in offInput) discount(t *testing.T, c money.Currency) totals.Discount {
	t.Helper()
	off := totals.Discount{Discount: discount.Discount{Percent: in.Percent}}
	if in.Amount.IsGiven() {
		amount, err := in.Amount.Round(c)
		require.NoError(t, err)
		off.Amount = amount
	}
	if in.Line != nil {
		off.Lines = []int{*in.Line}
	}
	return off
}

type discountInput struct {
	inCurrency
	offInput
	Price money.Decimal
}

func checkDiscount(t *testing.T, in discountInput, want struct{ Discount, Final *money.Decimal }) {
	price, err := in.Price.Round(in.Currency)
	require.NoError(t, err)
	off := in.discount(t, in.Currency).Of(price)
	equalUnits(t, want.Discount, off, in.Currency, "discount")
	equalUnits(t, want.Final, price-off, in.Currency, "final")
}

type totalsInput struct {
	inCurrency
	Lines            []struct{ Amount money.Decimal }
	LineDiscounts    []offInput `json:"line_discounts"`
	InvoiceDiscounts []offInput `json:"invoice_discounts"`
	Credits          []money.Decimal
	Rates            []money.Decimal `json:"tax_rates_percent"`
}

type totalsResult struct {
	Subtotal, Discount, Tax, Total *money.Decimal
	Credits                        *money.Decimal  `json:"credits_applied"`
	LineDiscounts                  []money.Decimal `json:"line_discounts"`
}

// checkTotals applies the discounts of lines before those of the invoice. The peer's total is after credit.
func checkTotals(t *testing.T, in totalsInput, want totalsResult) {
	var d totals.Draft
	var places []int
	d.Rates, places = rates(in.Rates)
	for _, line := range in.Lines {
		amount, err := line.Amount.Round(in.Currency)
		require.NoError(t, err)
		d.Lines = append(d.Lines, totals.Line{Amount: amount, Rates: places})
	}
	for _, off := range append(in.LineDiscounts, in.InvoiceDiscounts...) {
		d.Discounts = append(d.Discounts, off.discount(t, in.Currency))
	}
	for _, credit := range in.Credits {
		amount, err := credit.Round(in.Currency)
		require.NoError(t, err)
		d.Credit += amount
	}
	got, err := totals.Of(d)
	require.NoError(t, err)
	equalUnits(t, want.Subtotal, got.Subtotal, in.Currency, "subtotal")
	equalUnits(t, want.Discount, got.Discount, in.Currency, "discount")
	equalUnits(t, want.Tax, got.Tax, in.Currency, "tax")
	equalUnits(t, want.Credits, got.Credit, in.Currency, "credit")
	equalUnits(t, want.Total, got.Due, in.Currency, "total")
	for i, off := range want.LineDiscounts {
		equalUnits(t, &off, got.Lines[i].Discount, in.Currency, "discount of a line")
	}
}

type taxInput struct {
	inCurrency
	Taxable money.Decimal
	Rates   []money.Decimal `json:"tax_rates_percent"`
	Repeat  int
}

func checkTax(t *testing.T, in taxInput, want struct{ Tax *money.Decimal }) {
	amount, err := in.Taxable.Round(in.Currency)
	require.NoError(t, err)
	var d totals.Draft
	var places []int
	d.Rates, places = rates(in.Rates)
	for range max(in.Repeat, 1) {
		d.Lines = append(d.Lines, totals.Line{Amount: amount, Rates: places})
	}
	got, err := totals.Of(d)
	require.NoError(t, err)
	equalUnits(t, want.Tax, got.Tax, in.Currency, "tax")
}

func checkTaxesOnFees(t *testing.T, in struct {
	Fees  []money.Minor
	Rates []money.Decimal `json:"tax_rates_percent"`
}, want struct{ Tax *money.Minor }) {
	var d totals.Draft
	var places []int
	d.Rates, places = rates(in.Rates)
	for _, amount := range in.Fees {
		d.Lines = append(d.Lines, totals.Line{Amount: amount, Rates: places})
	}
	got, err := totals.Of(d)
	require.NoError(t, err)
	require.NotNil(t, want.Tax)
	require.Equal(t, *want.Tax, got.Tax)
}

type preciseFeesInput struct {
	Fees    []money.Decimal `json:"fees_precise"` // in minor units
	Tax     money.Decimal   `json:"tax_rate_percent"`
	Prepaid money.Minor     `json:"prepaid_balance"`
}

type preciseFeesResult struct {
	Fees    []money.Minor `json:"fees_rounded"`
	Sum     *money.Minor  `json:"fees_total"`
	Tax     *money.Minor
	Total   *money.Minor `json:"sub_total"`
	Prepaid *money.Minor `json:"prepaid_applied"`
	Due     *money.Minor `json:"total"`
	Left    *money.Minor `json:"prepaid_left"`
}

// checkPreciseFees rounds fees in whole minor units, as a currency without decimals has them.
func checkPreciseFees(t *testing.T, in preciseFeesInput, want preciseFeesResult) {
	d := totals.Draft{Rates: []tax.Rate{{Percent: in.Tax}}, Credit: in.Prepaid}
	var fees []money.Minor
	for _, fee := range in.Fees {
		amount, err := fee.Round("JPY")
		require.NoError(t, err)
		d.Lines, fees = append(d.Lines, totals.Line{Amount: amount, Rates: []int{0}}), append(fees, amount)
	}
	got, err := totals.Of(d)
	require.NoError(t, err)
	require.Equal(t, want.Fees, fees)
	equalMinor(t, want.Sum, got.Subtotal, "fees")
	equalMinor(t, want.Tax, got.Tax, "tax")
	equalMinor(t, want.Total, got.Total, "total before prepaid credit")
	equalMinor(t, want.Prepaid, got.Credit, "prepaid credit used")
	equalMinor(t, want.Due, got.Due, "due")
	equalMinor(t, want.Left, in.Prepaid-got.Credit, "prepaid credit left")
}

func equalMinor(t *testing.T, want *money.Minor, got money.Minor, what string) {
	t.Helper()
	if want != nil {
		require.Equal(t, *want, got, what)
	}
}
