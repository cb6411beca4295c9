package db_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// everyFieldDiffers requires that a row whose writing is tested has a value of its own in each field, so that a field left
// out of a write is noticed. Except are fields that the write does not change.
func everyFieldDiffers[T any](t *testing.T, before, after T, except ...string) {
	t.Helper()
	b, a := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range b.NumField() {
		if name := b.Type().Field(i).Name; !slices.Contains(except, name) {
			require.NotEqual(t, b.Field(i).Interface(), a.Field(i).Interface(), "give %s another value", name)
		}
	}
}
