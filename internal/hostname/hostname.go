// Package hostname reads names of hosts in URLs and email addresses. It does not own name resolution, nor whether a
// name may be called.
package hostname

import (
	"strings"

	"golang.org/x/net/idna"
)

// The most characters of a name and of a label, as DNS has them.
const (
	maxName  = 253
	maxLabel = 63
)

// ToASCII returns a name as DNS knows it, in small letters and without the dot at its end; false: it cannot be one. A
// name in other letters must be written as IDNA writes it. Characters that IDNA only maps to others, such as full-width
// digits, are refused: where one program sees a name, another would see an address.
func ToASCII(name string) (ascii string, ok bool) {
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	ascii, err := idna.Lookup.ToASCII(name)
	switch plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == ""; {
	case err != nil && plain && strings.Contains(name, "_"): // no part of names of hosts, but of some that resolve
		ascii = name
	case err != nil:
		return "", false
	case ascii != name:
		if shown, err := idna.Lookup.ToUnicode(ascii); err != nil || shown != name {
			return "", false
		}
	}
	if ascii == "" || len(ascii) > maxName {
		return "", false
	}
	for label := range strings.SplitSeq(ascii, ".") {
		if label == "" || len(label) > maxLabel || label[0] == '-' || label[len(label)-1] == '-' {
			return "", false
		}
	}
	return ascii, true
}
