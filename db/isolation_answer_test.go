package db_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/db/core"
)

// reading is the outcome of a read: its results, and its error as people see it.
type reading struct {
	Results []any
	Code    string
	Detail  string
}

// found reports whether anything of the environment came back. A key always does.
func (a reading) found() bool {
	if a.Code != "" {
		return false
	}
	for _, r := range a.Results {
		if _, isKey := r.(db.APIKey); isKey {
			continue
		}
		v := reflect.ValueOf(r)
		many := v.Kind() == reflect.Slice || v.Kind() == reflect.Map
		if many && v.Len() > 0 || !many && !v.IsZero() {
			return true
		}
	}
	return false
}

// filling names rows by the argument that asks for them.
type filling struct {
	environment
	ids map[string]string // by method
	// filters by type
	filters map[reflect.Type]any
}

// absent returns a filling of the same shape with ids that do not exist.
func (f filling) absent() filling {
	ids := map[string]string{}
	for method, was := range f.ids {
		ids[method] = was[:max(len(was)-4, 0)] + "zzzz"
	}
	f.ids = ids
	return f
}

// read is a method of db.Reader, or of one of its columns.
type read struct {
	reflect.Method
	name   string // with its column: Clocks.Get
	column string // the field; empty: of db.Reader itself
}

// reads returns the reads with an environment, or a key that implies one.
func reads() []read {
	var found []read
	shared := reflect.TypeFor[core.Reader]()
	add := func(column string, typ reflect.Type) {
		for i := range typ.NumMethod() {
			r := read{typ.Method(i), typ.Method(i).Name, column}
			if column != "" {
				r.name = column + "." + r.name
			}
			if _, way := shared.MethodByName(r.Name); !way && !slices.Contains(global, r.name) {
				found = append(found, r)
			}
		}
	}
	all := reflect.TypeFor[db.Reader]()
	add("", all)
	for i := range all.NumField() {
		if column := all.Field(i); column.Type != shared {
			add(column.Name, column.Type)
		}
	}
	return found
}

// The shared core sends reads. It has one of its own, which is global: any other would escape the tests above.
func TestIsolation_CoreHasNoReads(t *testing.T) {
	t.Parallel()
	names := []string{}
	for shared, i := reflect.TypeFor[core.Reader](), 0; i < shared.NumMethod(); i++ {
		names = append(names, shared.Method(i).Name)
	}
	require.Equal(t, []string{"Bounds", "KeyByHash", "Lists", "Together", "WithoutResource"}, names)
}
