package totals_test

import (
	"encoding/json"
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
