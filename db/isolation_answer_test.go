package db_test

import (
	"reflect"

	"perennial/db"
)

// answer is what a read said: its results as they are, its error as people see it.
type answer struct {
	Results []any
	Code    string
	Detail  string
}

// found reports whether anything of the environment came back. A key always does.
func (a answer) found() bool {
	if a.Code != "" {
		return false
	}
	for _, r := range a.Results {
		if _, isKey := r.(db.APIKey); isKey {
			continue
		}
		if v := reflect.ValueOf(r); v.Kind() == reflect.Slice && v.Len() > 0 || v.Kind() != reflect.Slice && !v.IsZero() {
			return true
		}
	}
	return false
}
