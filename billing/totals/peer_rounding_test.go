package totals_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/internal/testkit/peercases"
)

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

// otherAllocation finds splits that are not by weight; an amount is a weight too. Allocate gives a tie to the item that
// comes first.
func otherAllocation(c peercases.Case) bool {
	var in struct {
		By       string
		TieBreak string `json:"tie_break"`
	}
	return json.Unmarshal(c.Input, &in) != nil ||
		!slices.Contains([]string{"", "weight", "amount"}, in.By) ||
		!slices.Contains([]string{"", "item order"}, in.TieBreak)
}

// inCurrency is part of most inputs. The decimals are those of the currency, or inOtherDecimals left the case out.
type inCurrency struct {
	Currency money.Currency
	Decimals *int `json:"currency_decimals"`
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

type roundAmountInput struct {
	inCurrency
	Amount string
}

type roundAmountResult struct {
	Amount string
	Minor  *money.Minor
}

func checkRoundAmount(t *testing.T, in roundAmountInput, want roundAmountResult) {
	got := minor(t, in.Amount, in.Currency)
	require.Zero(t, decimal(t, want.Amount).Cmp(decimal(t, money.FormatUnits(got, in.Currency))))
	if want.Minor != nil {
		require.Equal(t, *want.Minor, got)
	}
}

type unitAmountInput struct {
	inCurrency
	Quantity  string
	UnitPrice string `json:"unit_price"`
}

func checkUnitAmount(t *testing.T, in unitAmountInput, want struct{ Amount string }) {
	var exact apd.Decimal
	_, err := apd.BaseContext.WithPrecision(100).Mul(&exact, decimal(t, in.Quantity), decimal(t, in.UnitPrice))
	require.NoError(t, err)
	got, err := money.RoundDecimal(&exact, in.Currency)
	require.NoError(t, err)
	require.Equal(t, minor(t, want.Amount, in.Currency), got)
}

func checkCurrencyDecimals(t *testing.T, in struct{ Currency money.Currency }, want struct{ Decimals int }) {
	require.Equal(t, want.Decimals, in.Currency.Decimals())
}

type subtotalInput struct {
	inCurrency
	Amounts []string
	Repeat  int
}

func checkSubtotal(t *testing.T, in subtotalInput, want struct{ Subtotal string }) {
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

type allocateInput struct {
	inCurrency
	Amount   string
	Items    []struct{ Key, Weight string }
	By       string // otherAllocation decides about both
	TieBreak string `json:"tie_break"`
}

type allocateResult struct {
	Allocations []struct{ Key, Amount string }
}

func checkAllocate(t *testing.T, in allocateInput, want allocateResult) {
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
