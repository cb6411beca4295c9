// Package taxid owns how the numbers are written under which tax authorities know a business: the form of each type,
// its check digits, and whose authority gives it. It does not own whether a number is registered, which a person
// confirms, nor what follows for taxes (tax).
package taxid

import (
	"slices"
	"strings"

	"perennial/billing/fault"
)

// EUVAT is the type of the VAT numbers of the European Union, whose prefix says the country.
const EUVAT = "eu_vat"

// Verdict says how a tax id is written.
type Verdict int

// The verdicts.
const (
	Unknown  Verdict = iota // the type is not known, so that nothing was checked
	Right                   // the form is right, and so are the check digits where some are known
	Doubtful                // the check digits are wrong, and the authority does not publish them: it may be right
	Mistyped                // the check digits are wrong, and the authority publishes them
	NoPrefix                // an eu_vat without the prefix of a member
	NoForm                  // the form of the type is another
)

// Reading holds what can be read from a tax id alone.
type Reading struct {
	Verdict Verdict
	Country string // ISO 3166-1, whose tax authority gives such numbers; empty: not known
	example string // of the type
}

// Read reads a tax id of a type. Spaces, dots, hyphens and slashes do not count, nor do small letters.
func Read(kindName, value string) Reading {
	number := Compact(value)
	k, ok := kinds[kindName]
	if kindName == EUVAT {
		if k, number, ok = union(number); !ok {
			return Reading{Verdict: NoPrefix}
		}
	}
	switch {
	case !ok:
		return Reading{}
	case !k.form.MatchString(number):
		return Reading{Verdict: NoForm, example: k.example}
	case k.digits == nil || k.digits(number):
		return Reading{Verdict: Right, Country: k.country}
	case k.published:
		return Reading{Verdict: Mistyped}
	}
	return Reading{Verdict: Doubtful, Country: k.country}
}

// Check returns how a tax id is written, and refuses one that is written wrongly: in another form than its type has,
// or with check digits that the authority itself publishes otherwise. An id of an unknown type is taken as it is.
// Faults, of the value: tax_id_form, tax_id_check_digit.
func Check(kindName, value string) (Reading, error) {
	read := Read(kindName, value)
	switch read.Verdict {
	case NoPrefix:
		return read, fault.InvalidParam("value", "tax_id_form",
			"A tax id of the type `eu_vat` begins with the prefix of a member of the European Union, such as DE, or EL for "+
				"Greece. Send it with the prefix.")
	case NoForm:
		return read, fault.InvalidParam("value", "tax_id_form",
			"The number does not have the form of the type `%s`. Send one such as %s.", kindName, read.example)
	case Mistyped:
		return read, fault.InvalidParam("value", "tax_id_check_digit",
			"The check digit of the number is wrong, so that one of its digits was mistyped. Correct it.")
	case Unknown, Right, Doubtful:
	}
	return read, nil
}

// union finds the member of the European Union that a number belongs to, and its number behind the prefix.
func union(number string) (k kind, behind string, ok bool) {
	if len(number) < 2 {
		return k, "", false
	}
	m, ok := members[number[:2]]
	return kind{country: m.country, form: m.form, example: m.example, digits: m.digits}, number[2:], ok
}

// grouping removes the characters with which people group a number.
var grouping = strings.NewReplacer(" ", "", "\u00a0", "", ".", "", "-", "", "/", "")

// Compact returns a number in capital letters and without what groups it, so that two ways of writing it compare
// equal.
func Compact(value string) string { return strings.ToUpper(grouping.Replace(value)) }

// Kinds lists the types whose form is known.
func Kinds() []string {
	names := []string{EUVAT}
	for name := range kinds {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
