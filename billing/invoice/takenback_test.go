package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Lines that were taken back are on the invoice that was issued with them, and their sums with it; those without one
// stay by themselves, and so do those whose invoice is not among the read ones.
func TestJoined(t *testing.T) {
	t.Parallel()
	sums := func(all []invoice.Invoice) (out [][4]money.Minor) {
		for _, inv := range invoice.Joined(all) {
			out = append(out, [4]money.Minor{money.Minor(len(inv.Lines)), inv.Discount, inv.Tax, inv.Total})
		}
		return out
	}
	billed := invoice.Invoice{ID: "in_1", Lines: []invoice.Line{{ID: "a"}, {ID: "b"}}, Discount: 10, Tax: 19, Total: 109}
	back := invoice.Invoice{ID: "tb_1", With: "in_1", Lines: []invoice.Line{{ID: "c"}}, Discount: -4, Tax: -30, Total: -190}
	alone, elsewhere := back, back
	alone.With, elsewhere.With = "", "in_2"

	require.Equal(t, [][4]money.Minor{{3, 6, -11, -81}}, sums([]invoice.Invoice{billed, back}))
	require.Equal(t, [][4]money.Minor{{2, 10, 19, 109}, {1, -4, -30, -190}}, sums([]invoice.Invoice{billed, alone}))
	require.Equal(t, [][4]money.Minor{{1, -4, -30, -190}, {1, -4, -30, -190}}, sums([]invoice.Invoice{alone, elsewhere}))
	require.Equal(t, [][4]money.Minor{{2, 10, 19, 109}, {3, 6, -11, -81}},
		sums([]invoice.Invoice{{ID: "", Lines: billed.Lines, Discount: 10, Tax: 19, Total: 109}, billed, back}))
	require.Len(t, billed.Lines, 2, "the invoice as it was keeps its lines")
}
