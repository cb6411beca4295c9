package flags

import "strings"

// List is a flag that may be repeated.
type List []string

// String returns the values of the flag, joined by commas.
func (l *List) String() string { return strings.Join(*l, ",") }

// Set appends a value.
func (l *List) Set(s string) error { *l = append(*l, s); return nil }
