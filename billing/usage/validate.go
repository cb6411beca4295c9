package usage

import (
	"unicode/utf8"

	"perennial/billing/fault"
)

// Validate checks a record without its subscription and metric. Faults: usage_key_invalid, usage_properties_too_many,
// usage_property_invalid.
func (r Record) Validate() error {
	if r.Key == "" || len(r.Key) > MaxKey || !utf8.ValidString(r.Key) || hasControl(r.Key) {
		return fault.InvalidParam("idempotencyKey", "usage_key_invalid",
			"`idempotencyKey` must be 1 to %d bytes of text without control characters.", MaxKey)
	}
	if len(r.Properties) > MaxProperties {
		return fault.InvalidParam("properties", "usage_properties_too_many",
			"A record has at most %d properties. The request has %d.", MaxProperties, len(r.Properties))
	}
	for name, value := range r.Properties {
		if name == "" || len(name) > MaxName || len(value) > MaxProperty || hasControl(name) || hasControl(value) {
			return fault.InvalidParam("properties", "usage_property_invalid",
				"A property has a name of 1 to %d bytes and a value of at most %d, without control characters.",
				MaxName, MaxProperty)
		}
	}
	return nil
}

func hasControl(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] == 0x7f {
			return true
		}
	}
	return false
}
