package costing

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/metered"
	"perennial/billing/metering"
	"perennial/billing/money"
	"perennial/billing/plan"
	"perennial/billing/usage"
)

// accruing returns the usage of calls and storage of a plan in a segment, with records that no rate counts.
func accruing(p plan.Plan, of metering.Segment, calls, storage int64) Accruing {
	counted := metered.Segment{Start: of.Start, Share: of.Share, Commitment: p.Metered.Commitment}
	for i, n := range []int64{calls, storage} {
		counted.Usage = append(counted.Usage, metered.Used{Component: p.Metered.Components[i], Quantities: usage.Totals{
			{Group: "-1 ", Value: money.Whole(7), Records: int64(2 * i)}, {Group: "0 ", Value: money.Whole(n), Records: n},
		}})
	}
	return Accruing{Priced: metering.Priced{Segment: of, On: p}, Counted: counted}
}

// The accrual of a period before its end equals the amounts of its invoices: those that they have billed so far and
// those that they bill of the rest, after coupons.
func TestAccrued_IsBilledAndWhatTheNextInvoiceBills(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	of.Discounts[0].Percent = number(t, "33.3")
	var billed []metered.Charge
	var invoiced money.Minor
	for _, used := range [][2]int64{{0, 0}, {35, 4}, {101, 25}, {7, 25}, {7, 3}, {100_000, 3}} {
		shown, err := s.Accrued([]Accruing{accruing(p, of, used[0], used[1])}, billed)
		require.NoError(t, err)
		require.Equal(t, invoiced, shown.Billed, "%v", used)

		due := rate(t, p, of, used[0], used[1], billed)
		lines, err := s.Used(metering.Priced{Segment: of, On: p}, due, nil)
		require.NoError(t, err)
		billed = append(billed, due...)
		for _, line := range lines {
			invoiced += line.Net()
		}

		require.Equal(t, invoiced, shown.Total(), "%v", used)
		var amount, discount money.Minor
		for _, l := range shown.Lines {
			amount, discount = amount+l.Amount, discount+l.Discounts.Sum()
		}
		require.Equal(t, [2]money.Minor{amount, discount}, [2]money.Minor{shown.Amount, shown.Discount})
	}
}

// Included units have a line, with the steps that say so; usage without a rate is listed apart, and has no line.
func TestAccrued_ShowsUnitsThatCostNothing(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)

	shown, err := s.Accrued([]Accruing{accruing(p, of, 0, 4)}, nil)

	require.NoError(t, err)
	var told []string
	for _, l := range shown.Lines {
		told = append(told, fmt.Sprintf("%s %s %s %d", l.PriceID, l.MetricName, l.Quantity, l.Amount))
	}
	require.Equal(t, []string{"commitment  1 500", "storage storage 4 0"}, told)
	require.Equal(t, []invoice.Step{{Kind: "included", Quantity: "4", UnitPrice: "0", Amount: "0"}},
		shown.Lines[1].Explanation.Steps)
	require.Equal(t, "Team – storage", shown.Lines[1].Description, "it takes nothing back")
	require.Equal(t, []Unrated{{MetricName: "storage", PriceID: "storage", Quantity: money.Whole(7), Records: 2}},
		shown.Unrated)
}

// A line names the values of dimensions that its rate asks for and keeps apart; the smallest of many are one line.
func TestAccrued_NamesDimensionsAndBoundsItsLines(t *testing.T) {
	t.Parallel()
	p := usedPlan(t)
	p.Metered.Commitment = nil
	p.Metered.Components[0].Rates[0].Where = map[string]string{"tier": "gold"}
	p.Metered.Components[0].Rates[0].By = []string{"region"}
	s := opened(p, 1, "")
	of := segmentOf(t, s, p)
	asked := accruing(p, of, 0, 0)
	asked.Counted.Usage[0].Quantities = nil
	for i := range MaxUsageLines + 5 {
		asked.Counted.Usage[0].Quantities = append(asked.Counted.Usage[0].Quantities, usage.Quantity{
			Group: usage.Group(fmt.Sprintf(`0 ["r%03d"]`, i)), Value: money.Whole(int64(1000 + i)), Records: 1,
		})
	}
	billed := []metered.Charge{{Key: metered.Key{
		PriceID: "calls", Segment: of.Start.UnixMicro(), Lot: metered.Lot{By: `["r003"]`},
	}, Amount: 100}}
	of.Discounts = nil
	asked.Segment = of

	shown, err := s.Accrued([]Accruing{asked}, billed)

	require.NoError(t, err)
	require.Len(t, shown.Lines, MaxUsageLines+1)
	gold, first := "gold", "r005"
	require.Equal(t, map[string]*string{"tier": &gold, "region": &first}, shown.Lines[0].Dimensions)
	rest := shown.Lines[MaxUsageLines]
	require.Equal(t, [3]any{"Team – calls (5 others)", "calls", money.Minor(100)},
		[3]any{rest.Description, rest.MetricName, rest.Billed})
	require.Nil(t, rest.Dimensions)
}
