package invoices

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/proration"
	"perennial/billing/rating"
)

// TestRenderLines_Explained: steps are in minor units of the currency, whatever its decimals.
func TestRenderLines_Explained(t *testing.T) {
	t.Parallel()
	line := invoice.Line{Kind: invoice.ProrationCredit, Amount: -7, Explanation: &invoice.Explanation{
		Steps: []invoice.Step{{Kind: rating.Packages, Tier: 2, Quantity: "3", UnitPrice: "0.0105", Amount: "0.0315"}},
		Part: &invoice.Part{
			Of: invoice.DividedPeriod, Whole: 32, Measure: proration.Fixed30, From: 20, To: 30, Length: 30,
		},
		Limit: &invoice.Limit{Amount: 7, Reason: invoice.LimitReturned},
	}}
	for currency, want := range map[money.Currency][2]string{
		"BHD": {"10.5", "31.5"}, "EUR": {"1.05", "3.15"}, "XAF": {"0.0105", "0.0315"},
	} {
		got := RenderLines([]invoice.Line{line, {Quantity: "1", UnitPrice: "2"}}, currency)
		require.Nil(t, got[1].Explanation)
		require.Equal(t, &view.LineExplanation{
			Steps: []view.ExplanationStep{{Kind: "packages", Tier: 2, Quantity: "3", UnitAmount: want[0], Amount: want[1]}},
			Part:  &view.ExplanationPart{Of: "period", Amount: 32, Measure: "fixed_30", From: 20, To: 30, Length: 30},
			Limit: &view.ExplanationLimit{Amount: 7, Reason: "returned"},
		}, got[0].Explanation)
	}
}
