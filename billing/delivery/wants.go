package delivery

import (
	"slices"

	"perennial/billing/event"
)

// Wants reports whether one of the patterns is the type, or matches it: `payment.*` matches every type that begins with
// `payment.`. The database has the same rule as event_matches.
func Wants(patterns []string, t event.Type) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return event.Pattern(p).Matches(t) })
}
