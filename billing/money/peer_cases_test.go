package money_test

import (
	"encoding/json"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"

	"perennial/billing/internal/peercases"
	"perennial/billing/money"
)

func TestPeerCasesOfTotals(t *testing.T) {
	t.Parallel()
	const later = "discounts, taxes and prepaid credit are not rules of ours yet"
	excluded := []peercases.Exclusion{
		{When: inOtherDecimals, Reason: "not an ISO 4217 currency, or not with its ISO decimals"},
	}
	for _, kind := range []string{
		"true_up", "discount", "line_discounts", "coupon_amount", "coupon_lifecycle", "coupon_redemptions", "tax", "tax_sum",
		"tax_on_fee", "taxes_on_fees", "fee_with_given_taxes", "precise_fees", "totals", "coupon_totals", "credit_note",
		"credit_note_over_fees", "credit_notes_on_invoice", "termination_invoice", "prepaid", "wallets_on_invoice",
		"credit_over_lines",
	} {
		excluded = append(excluded, peercases.Exclusion{Kind: kind, Reason: later})
	}
	peercases.Suite{
		Category: "e_totals",
		Checks: map[string]func(*testing.T, peercases.Case){
			"round_amount":      checkRoundAmount,
			"unit_amount":       checkUnitAmount,
			"currency_decimals": checkCurrencyDecimals,
			"subtotal":          checkSubtotal,
			"allocate":          checkAllocate,
		},
		Excluded: excluded,
	}.Run(t)
}

// inOtherDecimals finds cases in units of a peer (credits), or at a precision that ISO does not give the currency.
func inOtherDecimals(c peercases.Case) bool {
	var in struct {
		Currency string
		Decimals *int `json:"currency_decimals"`
	}
	if json.Unmarshal(c.Input, &in) != nil || in.Currency == "" {
		return false
	}
	currency, err := money.ParseCurrency(in.Currency)
	return err != nil || (in.Decimals != nil && *in.Decimals != currency.Decimals())
}

func decimal(t *testing.T, s string) *apd.Decimal {
	t.Helper()
	d, _, err := apd.NewFromString(s)
	require.NoError(t, err)
	return d
}

// minor rounds a decimal in major units; exact amounts stay exact.
func minor(t *testing.T, s string, c money.Currency) money.Minor {
	t.Helper()
	m, err := money.RoundDecimal(decimal(t, s), c)
	require.NoError(t, err)
	return m
}

func checkRoundAmount(t *testing.T, c peercases.Case) {
	var in struct {
		Amount   string
		Currency money.Currency
	}
	var want struct {
		Amount string
		Minor  *money.Minor
	}
	c.Read(t, &in, &want)
	got := minor(t, in.Amount, in.Currency)
	require.Zero(t, decimal(t, want.Amount).Cmp(decimal(t, money.FormatUnits(got, in.Currency))))
	if want.Minor != nil {
		require.Equal(t, *want.Minor, got)
	}
}

func checkUnitAmount(t *testing.T, c peercases.Case) {
	var in struct {
		Quantity  string
		UnitPrice string `json:"unit_price"`
		Currency  money.Currency
	}
	var want struct{ Amount string }
	c.Read(t, &in, &want)
	var exact apd.Decimal
	_, err := apd.BaseContext.WithPrecision(100).Mul(&exact, decimal(t, in.Quantity), decimal(t, in.UnitPrice))
	require.NoError(t, err)
	got, err := money.RoundDecimal(&exact, in.Currency)
	require.NoError(t, err)
	require.Equal(t, minor(t, want.Amount, in.Currency), got)
}

func checkCurrencyDecimals(t *testing.T, c peercases.Case) {
	var in struct{ Currency money.Currency }
	var want struct{ Decimals int }
	c.Read(t, &in, &want)
	require.Equal(t, want.Decimals, in.Currency.Decimals())
}

func checkSubtotal(t *testing.T, c peercases.Case) {
	var in struct {
		Amounts  []string
		Currency money.Currency
		Repeat   int
	}
	var want struct{ Subtotal string }
	c.Read(t, &in, &want)
	var lines []money.Minor
	for range max(in.Repeat, 1) {
		for _, amount := range in.Amounts {
			lines = append(lines, minor(t, amount, in.Currency))
		}
	}
	got, err := money.Sum(lines...)
	require.NoError(t, err)
	require.Equal(t, minor(t, want.Subtotal, in.Currency), got)
}

func checkAllocate(t *testing.T, c peercases.Case) {
	var in struct {
		Amount   string
		Currency money.Currency
		Items    []struct{ Key, Weight string }
	}
	var want struct {
		Allocations []struct{ Key, Amount string }
	}
	c.Read(t, &in, &want)
	weights := make([]int64, len(in.Items))
	for i, item := range in.Items {
		scaled := decimal(t, item.Weight)
		scaled.Exponent += 9 // weights are decimals; only their proportions matter
		var err error
		weights[i], err = scaled.Int64()
		require.NoError(t, err)
	}
	total := minor(t, in.Amount, in.Currency)
	got := map[string]money.Minor{}
	for i, share := range money.Allocate(total, weights) {
		if share != 0 { // the cases leave out who gets nothing
			got[in.Items[i].Key] += share
		}
	}
	expected := map[string]money.Minor{}
	for _, allocation := range want.Allocations {
		if amount := minor(t, allocation.Amount, in.Currency); amount != 0 {
			expected[allocation.Key] += amount
		}
	}
	require.Equal(t, expected, got)
}
