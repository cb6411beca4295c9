// Package text owns the characters that texts for people must not have: those that show nothing, or that show others in
// another place. It does not own how long a text may be, nor what a field means.
package text

import (
	"slices"
	"strings"
	"unicode"
)

// directing are the characters that change the direction of the text around them (embeddings, overrides and isolates):
// a name with one of them shows its surroundings on an invoice in another order. Marks of direction (U+200E, U+200F,
// U+061C) change nothing around them, and languages that are written from the right need them.
var directing = []rune{
	'\u202A', '\u202B', '\u202C', '\u202D', '\u202E', '\u2066', '\u2067', '\u2068', '\u2069',
}

// Directs reports whether a text changes the direction of its surroundings.
func Directs(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return slices.Contains(directing, r) })
}

// Breaks reports whether a text is no single line: it has a control character, or a separator of lines.
func Breaks(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp)
	})
}

// Blank reports whether a text shows nothing: it is of spaces, of characters without a width, or empty.
func Blank(s string) bool { return !strings.ContainsFunc(s, visible) }

// fillers are letters and symbols that show nothing.
var fillers = []rune{'\u115F', '\u1160', '\u2800', '\u3164', '\uFFA0'}

func visible(r rune) bool {
	return unicode.IsGraphic(r) && !unicode.IsSpace(r) && !slices.Contains(fillers, r) &&
		!unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point,
			unicode.Mn, unicode.Me)
}
