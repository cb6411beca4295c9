package rating_test

import (
	"slices"
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
	Discounts money.Decimal // the reduction by a maximum
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

// checkSpend bills a part of a period as the price of all units so far, less the cost of the units before it. The
// minimum of the period is charged with its last part. Where a case has the amount billed before, but not its units,
// the bounds of the period are reduced by it.
func checkSpend(t *testing.T, in spendInput, want spendResult) {
	require.Contains(t, []string{"", "MidPeriodSplit", "LastInPeriodSplit"}, in.Line, "a line that is not known")
	require.Contains(t, []string{"", "InAdvancePaymentTerm", "InArrearsPaymentTerm"}, in.Term, "a term that is not known")
	price, c := in.price(t)
	if in.Line == "MidPeriodSplit" {
		price.Minimum = 0
	}
	if in.Billed.IsGiven() && !in.Before.IsGiven() {
		billed, err := in.Billed.Round(c)
		require.NoError(t, err)
		price.Minimum = max(price.Minimum-billed, 0)
		if price.Maximum > 0 {
			if price.Maximum -= billed; price.Maximum <= 0 {
				require.Zero(t, want.total().Sign(), "the maximum was billed before")
				return
			}
		}
	}
	start := price
	start.Minimum = 0
	got, err := price.Rate(in.Before.Add(in.Units), c)
	require.NoError(t, err)
	if in.Before.Sign() > 0 {
		before, err := start.Rate(in.Before, c)
		require.NoError(t, err)
		if in.Billed.IsGiven() {
			require.Equal(t, in.Billed.String(), money.Units(before.Amount, c).String())
		}
		got = less(t, got, before)
	}
	require.Zero(t, want.total().Cmp(money.Units(got.Amount, c)), "%d: %v", got.Amount, got.Steps)
	if in.Model != "multiplier" { // the peer shows the product of a multiplier as one unit
		requireLines(t, want.Lines, got)
	}
}

// less returns what a part of a period adds to the parts before it, step by step.
func less(t *testing.T, all, before rating.Rated) rating.Rated {
	t.Helper()
	part := all
	part.Amount -= before.Amount
	all.Steps, before.Steps = capped(all.Steps), capped(before.Steps)
	part.Steps = slices.Clone(all.Steps)
	require.GreaterOrEqual(t, len(all.Steps), len(before.Steps), "the steps of a part are those of the whole so far")
	for i, b := range before.Steps {
		require.Zero(t, part.Steps[i].UnitPrice.Cmp(b.UnitPrice), "step %d has another price", i)
		part.Steps[i].Quantity = part.Steps[i].Quantity.Sub(b.Quantity)
		part.Steps[i].Amount = part.Steps[i].Amount.Sub(b.Amount)
	}
	return part
}

// capped takes the reduction by a maximum, which is a step of its own with us, off the last steps, where the peer shows
// it.
func capped(steps []rating.Step) (out []rating.Step) {
	off := money.Whole(0)
	for _, s := range steps {
		if s.Amount.Sign() < 0 {
			off = off.Sub(s.Amount)
			continue
		}
		out = append(out, s)
	}
	for i := len(out) - 1; i >= 0 && off.Sign() > 0; i-- {
		part := out[i].Amount
		if part.Cmp(off) > 0 {
			part = off
		}
		out[i].Amount, off = out[i].Amount.Sub(part), off.Sub(part)
	}
	return out
}

// requireLines compares the lines that are not zero: the peer omits some lines without amount.
func requireLines(t *testing.T, want []spendLine, got rating.Rated) {
	t.Helper()
	var expected, ours []string
	for _, line := range want {
		if amount := line.Amount.Add(line.Charges).Sub(line.Discounts); amount.Sign() != 0 {
			require.Equal(t, amount.String(), line.Total.String())
			expected = append(expected, line.Quantity.String()+" × "+line.Unit.String()+" = "+amount.String())
		}
	}
	for _, s := range capped(got.Steps) {
		if s.Amount.Sign() != 0 {
			ours = append(ours, s.Quantity.String()+" × "+s.UnitPrice.String()+" = "+s.Amount.String())
		}
	}
	if want != nil {
		require.Equal(t, expected, ours)
	}
}
