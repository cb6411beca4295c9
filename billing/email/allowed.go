package email

import (
	"strings"

	"perennial/billing/customer"
	"perennial/billing/fault"
	"perennial/internal/hostname"
)

// Allowed lists to whom a test environment sends: addresses, and domains as @example.com. Nothing else is sent, so that
// a copy of real customers gets no mail from a trial.
type Allowed []string

// MaxAllowed bounds the list.
const MaxAllowed = 100

// Check refuses an entry that is neither. Fault: allowed_recipient_malformed.
func (a Allowed) Check() error {
	for _, one := range a {
		domain, is := strings.CutPrefix(one, "@")
		if is {
			if ascii, ok := hostname.ToASCII(domain); ok && strings.Contains(ascii, ".") {
				continue
			}
		} else if customer.CheckEmail(one) == nil {
			continue
		}
		return fault.InvalidParam("allowedRecipients", "allowed_recipient_malformed",
			"`allowedRecipients` has an entry that is neither an address nor a domain. Send name@example.com or @example.com.")
	}
	return nil
}

// Contains reports whether mail may go to an address. Case does not matter: nearly all servers ignore it.
func (a Allowed) Contains(address string) bool {
	at := strings.LastIndexByte(address, '@')
	for _, one := range a {
		if strings.EqualFold(one, address) || at >= 0 && strings.EqualFold(one, address[at:]) {
			return true
		}
	}
	return false
}
