package api

import (
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"

	"perennial/billing/fault"
)

// Metadata is a caller's own notes.
type Metadata map[string]string

const (
	maxMetadataKey   = 40
	maxMetadataValue = 500
)

// check bounds what is stored for nothing but to be read back.
func (m Metadata) check() error {
	for key, value := range m {
		if key == "" || utf8.RuneCountInString(key) > maxMetadataKey || utf8.RuneCountInString(value) > maxMetadataValue {
			return fault.InvalidParam(clip("metadata."+key), "metadata_too_large",
				"metadata keys have 1 to %d characters, values at most %d", maxMetadataKey, maxMetadataValue)
		}
	}
	return nil
}

// shown is metadata as resources show it: an empty object rather than null.
func shown(m map[string]string) Metadata {
	if m == nil {
		return Metadata{}
	}
	return m
}

// checkEmail accepts one bare address.
func checkEmail(s string) error {
	address, err := mail.ParseAddress(s)
	if err != nil || address.Address != s || len(s) > 254 {
		return fault.InvalidParam("email", "email_malformed", "the e-mail address is not of the form name@example.com")
	}
	return nil
}

// checkPhone accepts the international format (E.164).
func checkPhone(param, s string) error {
	digits, ok := strings.CutPrefix(s, "+")
	if !ok || len(digits) < 7 || len(digits) > 15 || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return fault.InvalidParam(param, "phone_malformed", "write the phone number in international format, as in +237670000001")
	}
	return nil
}

// unix is a time as resources show it; zero where there is none, and then left out.
func unix(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}
