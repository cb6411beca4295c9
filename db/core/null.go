package core

import "time"

// The domain says "none" with the zero value, the database with null.

// Null is null for the zero value.
func Null[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// NullTime is null for no time.
func NullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

// Value is the zero value for null.
func Value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// NullList is null for an empty list.
func NullList[S ~[]E, E any](s S) *S {
	if len(s) == 0 {
		return nil
	}
	return &s
}

// NullMap is null for an empty map.
func NullMap[M ~map[K]V, K comparable, V any](m M) *M {
	if len(m) == 0 {
		return nil
	}
	return &m
}

// Present keeps pgx from writing null for an empty map or list.
func Present[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}

// PresentList is Present for a list.
func PresentList[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
