package rating_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
	"perennial/billing/rating"
)

type spendInput struct {
	parameters
	Units  money.Decimal
	Term   string        `json:"payment_term"` // of a flat price, which costs the same in advance and in arrears
	Line   string        // whole period, or MidPeriodSplit, LastInPeriodSplit
	Before money.Decimal `json:"units_before_line"`
	Billed money.Decimal `json:"billed_before"`
}

type spendLine struct {
	Unit      money.Decimal
	Quantity  money.Decimal
	Amount    money.Decimal
	Charges   money.Decimal // the amount of a line of kind commitment
	Discounts money.Decimal // what a maximum takes off
	Total     money.Decimal
	Category  string
}

type spendResult struct {
	Amount *money.Decimal
	Lines  []spendLine
	Total  *money.Decimal
}

func (want spendResult) total() money.Decimal {
	switch {
	case want.Amount != nil:
		return *want.Amount
	case want.Total != nil:
		return *want.Total
	}
	sum := money.Whole(0)
	for _, line := range want.Lines {
		sum = sum.Add(line.Total)
	}
	return sum
}

// checkSpend bills a part of a period as the price of all units so far, less what the units before it cost. The minimum
// of the period is asked for with its last part.
func checkSpend(t *testing.T, in spendInput, want spendResult) {
	price, c := in.price(t)
	start := price
	start.Minimum = 0
	if in.Line == "MidPeriodSplit" {
		price.Minimum = 0
	}
	got, err := price.Rate(in.Before.Add(in.Units), c)
	require.NoError(t, err)
	total := got.Amount
	if in.Before.Sign() > 0 {
		before, err := start.Rate(in.Before, c)
		require.NoError(t, err)
		if in.Billed.IsGiven() {
			require.Equal(t, in.Billed.String(), money.Units(before.Amount, c).String())
		}
		total -= before.Amount
	}
	require.Zero(t, want.total().Cmp(money.Units(total, c)), "%d: %v", total, got.Steps)
	if in.Line == "" && in.Model != "multiplier" { // the peer shows the product of a multiplier as one unit
		requireLines(t, want.Lines, got)
	}
}

// requireLines compares what is not zero: the peer leaves out some lines without amount.
func requireLines(t *testing.T, want []spendLine, got rating.Rated) {
	t.Helper()
	var expected, ours []string
	for _, line := range want {
		if amount := line.Amount.Add(line.Charges).Sub(line.Discounts); amount.Sign() != 0 {
			require.Equal(t, amount.String(), line.Total.String())
			expected = append(expected, line.Quantity.String()+" × "+line.Unit.String()+" = "+amount.String())
		}
	}
	for _, s := range got.Steps {
		if s.Amount.Sign() != 0 {
			ours = append(ours, s.Quantity.String()+" × "+s.UnitPrice.String()+" = "+s.Amount.String())
		}
	}
	if want != nil {
		require.Equal(t, expected, ours)
	}
}
