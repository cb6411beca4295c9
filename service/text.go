package service

import (
	"perennial/billing/cardnumber"
	"perennial/billing/fault"
	"perennial/billing/text"
)

// checkText holds what is true of one line that people read: it shows something, and holds no control characters, which
// would break it where it is shown, nothing that shows what is around it in another order, and no card number. An empty one
// is left out, and fine. Faults: text_blank, text_invalid, card_number_refused.
func checkText(param, s string) error {
	switch {
	case s == "":
		return nil
	case text.Blank(s):
		return fault.InvalidParam(param, "text_blank", "`%s` is blank. Send a text, or omit the field.", param)
	case text.Breaks(s):
		return fault.InvalidParam(param, "text_invalid",
			"`%s` contains a control character, such as a line break. Send one line of text.", param)
	case text.Directs(s):
		return fault.InvalidParam(param, "text_invalid",
			"`%s` contains a character that changes the direction of the text around it, such as U+202E. Remove it.", param)
	}
	return cardnumber.Check(param, s)
}
