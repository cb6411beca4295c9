package event

import (
	"slices"
	"strings"

	"perennial/billing/fault"
)

// Pattern chooses types: one type (payment.success), a group (payment.*), or all (*).
type Pattern string

// Every is the pattern of all types.
const Every Pattern = "*"

// Matches reports whether the pattern chooses a type.
func (p Pattern) Matches(t Type) bool {
	if group, ok := p.Group(); ok {
		return strings.HasPrefix(string(t), group+".")
	}
	return p == Every || string(p) == string(t)
}

// Group returns the group that the pattern chooses; false: it does not choose a group.
func (p Pattern) Group() (string, bool) { return strings.CutSuffix(string(p), ".*") }

// Check refuses a pattern that chooses no type. Fault: event_type_unknown.
func (p Pattern) Check() error {
	if slices.ContainsFunc(Catalogue(), func(data Data) bool { return p.Matches(data.Type()) }) {
		return nil
	}
	return fault.New(fault.Invalid, "event_type_unknown",
		"There is no event type %.60q. Send a type such as `%s`, a group such as `payment.*`, or `*`.",
		string(p), TypePaymentSuccess)
}

// Group returns the part of the type before the dot, which names the kind of resource.
func (t Type) Group() string {
	group, _, _ := strings.Cut(string(t), ".")
	return group
}

// Disjoint returns patterns that choose the same types without overlap; none: all types.
func Disjoint(patterns []Pattern) []Pattern {
	if slices.Contains(patterns, Every) {
		return nil
	}
	var out []Pattern
	for _, p := range patterns {
		group := Pattern(Type(p).Group() + ".*")
		if slices.Contains(out, p) || p != group && slices.Contains(patterns, group) {
			continue
		}
		out = append(out, p)
	}
	return out
}
