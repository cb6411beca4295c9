// Package locale reads names of languages (BCP 47). It does not own what is written in which language.
package locale

import (
	"golang.org/x/text/language"
)

// Canonical returns a language tag as RFC 5646 recommends to write it: a language with script and region as far as
// they are given, such as pt-BR. ok is false for what is no such tag, such as one with subtags that the registry does
// not have, or with extensions.
func Canonical(tag string) (canonical string, ok bool) {
	parsed, err := language.Parse(tag)
	if err != nil || parsed == language.Und || len(parsed.Extensions()) > 0 {
		return "", false
	}
	return parsed.String(), true
}
