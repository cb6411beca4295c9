package pawapay

import "strings"

// The payer's text in the prompt has 4 to 22 characters. The allowed characters are not documented for every operator:
// letters, digits and spaces pass everywhere.
const (
	shortestMessage = 4
	longestMessage  = 22
	anyMessage      = "Subscription"
)

// customerMessage returns such a text from a description: whole words, as many as fit.
func customerMessage(description string) string {
	plain := strings.Map(func(r rune) rune {
		if (r >= 'a' && r <= 'z') || (r >= 'A' && r <= 'Z') || (r >= '0' && r <= '9') {
			return r
		}
		return ' '
	}, description)
	message := ""
	for word := range strings.FieldsSeq(plain) {
		if longer := strings.TrimSpace(message + " " + word); len(longer) <= longestMessage {
			message = longer
			continue
		}
		if message == "" {
			message = word[:longestMessage]
		}
		break
	}
	if len(message) < shortestMessage {
		return anyMessage
	}
	return message
}
