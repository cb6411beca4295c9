package api

import (
	"net/mail"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/metadata"
)

// Metadata is a caller's own notes.
type Metadata metadata.Pairs

// UnmarshalJSON keeps numbers as they are written.
func (m *Metadata) UnmarshalJSON(b []byte) error { return (*metadata.Pairs)(m).UnmarshalJSON(b) }

// Schema is what the OpenAPI document says about metadata. What it cannot say, or huma not in our words, check does.
func (Metadata) Schema(huma.Registry) *huma.Schema {
	longest := metadata.MaxText
	return &huma.Schema{
		Type: huma.TypeObject, Description: metadataRules,
		AdditionalProperties: &huma.Schema{
			MaxLength: &longest, Extensions: map[string]any{"type": []string{"string", "number", "boolean", "null"}},
		},
		Extensions: map[string]any{"propertyNames": map[string]any{"minLength": 1, "maxLength": metadata.MaxKey}},
	}
}

const metadataRules = "Your own notes: up to 50 keys of at most 40 characters. Values are strings of at most 500 characters, " +
	"numbers of at most 40, true, false or null, and come back as they were sent."

func (m Metadata) check() error {
	if err := metadata.Pairs(m).Check(); err != nil {
		f := fault.From(err)
		return f.In(httpkit.Clip(f.Param))
	}
	return nil
}

// shown is metadata as resources show it: an empty object rather than null.
func shown(m metadata.Pairs) Metadata {
	if m == nil {
		return Metadata{}
	}
	return Metadata(m)
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
