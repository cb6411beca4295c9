package delivery

import (
	"regexp"
	"slices"

	"perennial/billing/event"
)

// All is the pattern that every type matches.
const All = "*"

var patternForm = regexp.MustCompile(`^[a-z][a-z_]*(\.[a-z][a-z_]*)*(\.\*)?$`)

// IsPattern reports whether s can stand in an endpoint's list: `*`, a type, or the beginning of types followed by `.*`.
func IsPattern(s string) bool { return s == All || len(s) <= 100 && patternForm.MatchString(s) }

// Wants reports whether one of the patterns is the type, or matches it: `payment.*` matches every type that begins with
// `payment.`. The database has the same rule as event_matches.
func Wants(patterns []string, t event.Type) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return event.Pattern(p).Matches(t) })
}
