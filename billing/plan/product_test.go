package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/plan"
)

func TestProduct_Validate(t *testing.T) {
	t.Parallel()
	require.NoError(t, plan.Product{Name: "Mail"}.Validate())
	require.ErrorContains(t, plan.Product{Description: "Mail"}.Validate(), "product_name_missing")
	require.NoError(t, plan.Product{Name: "Mail", TaxCategory: "books"}.Validate())
	require.ErrorContains(t, plan.Product{Name: "Mail", TaxCategory: "Books"}.Validate(), "tax_category_malformed")
}
