package invoice_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/invoice"
)

func TestSeller_Validate(t *testing.T) {
	t.Parallel()
	require.NoError(t, invoice.Seller{}.Validate(), "none")
	require.NoError(t, invoice.Seller{Name: "Acme GmbH"}.Validate())
	require.ErrorContains(t, invoice.Seller{TaxID: "DE123456789"}.Validate(), "seller_name_missing")
}
