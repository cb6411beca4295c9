package db

import "time"

// The domain says "none" with the zero value, the database with null.

func null[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func nullTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func nullList[S ~[]E, E any](s S) *S {
	if len(s) == 0 {
		return nil
	}
	return &s
}

func nullMap[M ~map[K]V, K comparable, V any](m M) *M {
	if len(m) == 0 {
		return nil
	}
	return &m
}

// present keeps pgx from writing null for an empty map or list.
func present[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}

func presentList[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
