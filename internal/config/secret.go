package config

import (
	"fmt"
	"log/slog"
)

// hidden is the text of a Secret in every way of printing it.
const hidden = "[secret]"

// Secret is a text that cannot be printed, logged or marshalled by accident. Reveal is the only way to it, so a search
// for Reveal finds every use.
type Secret struct{ text string }

// NewSecret hides a text.
func NewSecret(text string) Secret { return Secret{text: text} }

// Reveal returns the text itself.
func (s Secret) Reveal() string { return s.text }

// IsSet reports whether there is a text.
func (s Secret) IsSet() bool { return s.text != "" }

// Format serves every verb of fmt, also %#v and %x.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(s.String())) } // fmt keeps the error

// String implements fmt.Stringer.
func (s Secret) String() string {
	if s.text == "" {
		return ""
	}
	return hidden
}

// MarshalText serves encoding/json and zap's reflection encoder.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue serves log/slog.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
