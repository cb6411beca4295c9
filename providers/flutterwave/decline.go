package flutterwave

import (
	"strings"

	"perennial/providers"
)

// failureCodes maps the types of processor responses to ours. They are the values of test cards; those of mobile money
// are not documented. An unknown type is DECLINED.
var failureCodes = map[string]providers.FailureCode{
	"insufficient_funds": providers.InsufficientFunds,

	"exceeds_approval_amount_limit": providers.DailyLimit,
	"exceeds_withdrawal_limit":      providers.DailyLimit,

	"expired_card":                    providers.InvalidAccount,
	"invalid_account_number":          providers.InvalidAccount,
	"invalid_cvv":                     providers.InvalidAccount,
	"negative_cvv_result":             providers.InvalidAccount,
	"no_checking_account":             providers.InvalidAccount,
	"no_savings_account":              providers.InvalidAccount,
	"no_such_issuer":                  providers.InvalidAccount,
	"unable_to_locate_record_in_file": providers.InvalidAccount,

	"blocked_first_use":        providers.AccountBlocked,
	"lost_card_pick_up":        providers.AccountBlocked,
	"pin_entry_tries_exceeded": providers.AccountBlocked,
	"security_violation":       providers.AccountBlocked,
	"stolen_card_pick_up":      providers.AccountBlocked,
	"suspected_fraud":          providers.AccountBlocked,
}

// pickUpCard begins a family of types that all tell a merchant to keep the card.
const pickUpCard = "pick_up_card"

func failureCode(p processor) providers.FailureCode {
	if c, ok := failureCodes[p.Type]; ok {
		return c
	}
	if strings.HasPrefix(p.Type, pickUpCard) {
		return providers.AccountBlocked
	}
	return providers.DeclinedCode
}

// declineReason is a sentence for people: Flutterwave sends codes only.
func declineReason(p processor) string {
	if p.Type == "" {
		return "the payment was declined"
	}
	return "declined: " + strings.ReplaceAll(p.Type, "_", " ")
}
