package view_test

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/api/view"
	"perennial/billing/taxid"
)

func TestTaxIDForm_NamesEveryTypeThatIsChecked(t *testing.T) {
	t.Parallel()
	field, _ := reflect.TypeFor[view.TaxIDForm]().FieldByName("Type")
	for _, kind := range taxid.Kinds() {
		require.Contains(t, field.Tag.Get("doc"), kind)
	}
}
