package wire

// Redacted replaces text that must not be printed, such as secrets and telephone numbers.
const Redacted = "[redacted]"

// Secret holds a credential inside a closure. A string type with a String method is not enough: fmt prints unexported
// fields by reflection without calling their methods, and a closure prints as an address.
type Secret func() string

// Seal hides a credential.
func Seal(s string) Secret { return func() string { return s } }

// Reveal is called only where the secret goes onto the wire or into a MAC, or is compared.
func (s Secret) Reveal() string { return s() }

func (s Secret) String() string {
	if s() == "" {
		return "[empty]"
	}
	return Redacted
}

// GoString is String, for %#v.
func (s Secret) GoString() string { return s.String() }

// MarshalJSON is String, for structured logs.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }
