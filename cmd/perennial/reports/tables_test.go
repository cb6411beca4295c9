package reports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/monthly"
	"perennial/service/invoices"
)

// The rows of invoices sum to the summary: what was voided or given up is without what credit notes had given back.
func TestTables_InvoicesAreTheSums(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	rows := newSheet(&file, nil)
	out, err := newOutput(func(table string) (*sheet, error) {
		if table == "invoices" {
			return rows, nil
		}
		return nil, nil
	})
	require.NoError(t, err)
	var to invoices.MonthDocuments
	out.take(&to)
	for _, movement := range []monthly.Movement{monthly.Issued, monthly.Voided, monthly.Uncollectible} {
		inv := monthly.Invoice{
			ID: "in_1", Number: 7, Movement: movement, Worth: monthly.Worth{Currency: "EUR", Gross: 10000}, Outstanding: 7000,
			Notes: []monthly.Worth{{Currency: "EUR", Gross: 3000}},
		}
		require.NoError(t, to.Invoice(inv))
	}
	require.NoError(t, out.close(true))
	require.Equal(t, `movement,at,number,invoice,customer,country,currency,net,tax,tax_included,gross,amount_due
issued,0001-01-01T00:00:00Z,7,in_1,,,EUR,100.00,0.00,0.00,100.00,70.00
voided,0001-01-01T00:00:00Z,7,in_1,,,EUR,70.00,0.00,0.00,70.00,70.00
uncollectible,0001-01-01T00:00:00Z,7,in_1,,,EUR,70.00,0.00,0.00,70.00,70.00
`, file.String())
}
