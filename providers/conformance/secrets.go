package conformance

import (
	"regexp"
	"strings"
)

// shows reports whether a text has a secret. Digits count as a word of their own: the last four of a card may also
// stand by chance within a port, which errors of the network quote, or within a reference.
func shows(text, secret string) bool {
	if strings.Trim(secret, "0123456789") != "" {
		return strings.Contains(text, secret)
	}
	return regexp.MustCompile(`\b` + secret + `\b`).MatchString(text)
}
