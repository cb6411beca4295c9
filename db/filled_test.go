package db_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/money"
)

// filler gives every field of a value something of its own that is not empty, so that a field which a mapping or a
// statement leaves out, or swaps with another, is noticed.
type filler struct {
	n   int
	off bool // booleans are false: what overwrites a true one
}

// filled returns a value with a distinct content in each field.
func filled[T any](t *testing.T, f *filler) (v T) {
	t.Helper()
	f.fill(t, reflect.ValueOf(&v).Elem())
	return v
}

func (f *filler) fill(t *testing.T, v reflect.Value) {
	t.Helper()
	f.n++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(now.Add(time.Duration(f.n) * time.Minute)))
		return
	case money.Decimal:
		v.Set(reflect.ValueOf(money.Whole(int64(10*f.n + 1)))) // one without zeros at its end, which are read as an exponent
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(fmt.Sprintf("%03d", f.n%1000)) // as long as a currency
	case reflect.Bool:
		v.SetBool(!f.off)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(int64(f.n))
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(t, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(t, v.Elem())
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			v.SetBytes([]byte(fmt.Sprintf(`{"n": %d}`, f.n))) // also where it is JSON
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		f.fill(t, v.Index(0))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), reflect.ValueOf(fmt.Sprint(f.n)))
	default:
		require.FailNow(t, "give a rule for "+v.Type().String())
	}
}

// everyFieldDiffers requires that a row whose writing is tested has a value of its own in each field, so that a field
// left out of a write is noticed. Except are fields that the write does not change.
func everyFieldDiffers[T any](t *testing.T, before, after T, except ...string) {
	t.Helper()
	b, a := reflect.ValueOf(before), reflect.ValueOf(after)
	for i := range b.NumField() {
		if name := b.Type().Field(i).Name; !slices.Contains(except, name) {
			require.NotEqual(t, b.Field(i).Interface(), a.Field(i).Interface(), "give %s another value", name)
		}
	}
}
