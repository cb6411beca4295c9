package flutterwave

// redacted stands for a secret wherever one would be printed.
const redacted = "[redacted]"

// secret holds a key inside a closure. A string type with a String method is not enough: fmt prints unexported fields
// by reflection without calling their methods, and a closure prints as an address.
type secret func() string

func seal(s string) secret { return func() string { return s } }

// reveal is called only where the secret goes onto the wire or into a MAC.
func (s secret) reveal() string { return s() }

func (s secret) String() string {
	if s() == "" {
		return "[empty]"
	}
	return redacted
}

// GoString is String, for %#v.
func (s secret) GoString() string { return s.String() }

// MarshalJSON is String, for structured logs.
func (s secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }
