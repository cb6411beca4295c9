package movefile

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// stamp is a time in a file: Unix seconds, as in the API, or a time of RFC 3339. Fractions of a second are cut off, since
// boundaries are whole seconds. It is written as Unix seconds.
type stamp struct{ time.Time }

// MarshalJSON writes Unix seconds.
func (s stamp) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, s.Unix(), 10), nil }

// UnmarshalJSON reads either form; null is no time.
func (s *stamp) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "null" {
		return nil
	}
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		s.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[stamp]()}
	}
	s.Time = at.UTC().Truncate(time.Second)
	return nil
}

// stampOf returns nil for no time, so that it is left out.
func stampOf(t time.Time) *stamp {
	if t.IsZero() {
		return nil
	}
	return &stamp{t}
}

// at returns the time of a field that may be absent.
func at(s *stamp) time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.Time
}
