package moving

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Time is a time of a record: Unix seconds, as in the API, or a time of RFC 3339. Fractions of a second are cut off,
// since boundaries are whole seconds. It is written as Unix seconds.
type Time struct {
	time.Time
	sent bool // also a time of the year 1, by which some systems mean none: the hash of a record tells it from none
}

// IsZero reports whether there is nothing to write.
func (t Time) IsZero() bool { return !t.sent && t.Time.IsZero() }

// At returns a time in the form of records.
func At(t time.Time) Time { return Time{Time: t, sent: !t.IsZero()} }

// MarshalJSON writes Unix seconds.
func (t Time) MarshalJSON() ([]byte, error) { return strconv.AppendInt(nil, t.Unix(), 10), nil }

// UnmarshalJSON reads either form; null is no time.
func (t *Time) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if text == "null" {
		return nil
	}
	t.sent = true
	if seconds, err := strconv.ParseInt(text, 10, 64); err == nil {
		t.Time = time.Unix(seconds, 0).UTC()
		return nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return &json.UnmarshalTypeError{Value: "string", Type: reflect.TypeFor[Time]()}
	}
	t.Time = at.UTC().Truncate(time.Second)
	return nil
}
