package text

import (
	"perennial/billing/cardnumber"
	"perennial/billing/fault"
)

// Check checks one line of text for people: it must not be blank, and must not contain control characters, which would
// break it on display, characters that show the text around them in another order, or a card number. An empty text
// counts as omitted. Faults: text_blank, text_invalid, card_number_refused.
func Check(param, s string) error {
	switch {
	case s == "":
		return nil
	case Blank(s):
		return fault.InvalidParam(param, "text_blank", "`%s` is blank. Send a text, or omit the field.", param)
	case Breaks(s):
		return fault.InvalidParam(param, "text_invalid",
			"`%s` contains a control character, such as a line break. Send one line of text.", param)
	case Directs(s):
		return fault.InvalidParam(param, "text_invalid",
			"`%s` contains a character that changes the direction of the text around it, such as U+202E. Remove it.", param)
	}
	return cardnumber.Check(param, s)
}

// UnlessEmpty returns the faults of check, and nil for an empty text.
func UnlessEmpty(s string, check func(string) error) error {
	if s == "" {
		return nil
	}
	return check(s)
}
