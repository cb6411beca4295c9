package service

import (
	"strings"
	"unicode"

	"perennial/billing/cardnumber"
	"perennial/billing/fault"
)

// checkText holds what is true of one line that people read: it says something, and holds no control characters, which
// would break it where it is shown, and no card number. An empty one is left out, and fine.
func checkText(param, s string) error {
	switch {
	case s == "":
		return nil
	case strings.TrimSpace(s) == "":
		return fault.InvalidParam(param, "text_blank", "`%s` is blank. Send a text, or omit the field.", param)
	case strings.ContainsFunc(s, unicode.IsControl):
		return fault.InvalidParam(param, "text_invalid",
			"`%s` contains a control character, such as a line break. Send one line of text.", param)
	}
	return cardnumber.Check(param, s)
}
