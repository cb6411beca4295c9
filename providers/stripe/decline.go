package stripe

import "perennial/providers"

// failureCodes maps Stripe's decline codes to ours. A code that is not here is DECLINED: Stripe adds new ones.
var failureCodes = map[string]providers.FailureCode{
	"insufficient_funds": providers.InsufficientFunds,

	"card_velocity_exceeded":          providers.DailyLimit,
	"withdrawal_count_limit_exceeded": providers.DailyLimit,

	"card_not_supported":                providers.InvalidAccount,
	"currency_not_supported":            providers.InvalidAccount,
	"expired_card":                      providers.InvalidAccount,
	"incorrect_cvc":                     providers.InvalidAccount,
	"incorrect_number":                  providers.InvalidAccount,
	"incorrect_zip":                     providers.InvalidAccount,
	"invalid_account":                   providers.InvalidAccount,
	"invalid_cvc":                       providers.InvalidAccount,
	"invalid_expiry_month":              providers.InvalidAccount,
	"invalid_expiry_year":               providers.InvalidAccount,
	"invalid_number":                    providers.InvalidAccount,
	"new_account_information_available": providers.InvalidAccount,

	"fraudulent":                       providers.AccountBlocked,
	"lost_card":                        providers.AccountBlocked,
	"merchant_blacklist":               providers.AccountBlocked,
	"pickup_card":                      providers.AccountBlocked,
	"pin_try_exceeded":                 providers.AccountBlocked,
	"restricted_card":                  providers.AccountBlocked,
	"revocation_of_all_authorizations": providers.AccountBlocked,
	"revocation_of_authorization":      providers.AccountBlocked,
	"security_violation":               providers.AccountBlocked,
	"stolen_card":                      providers.AccountBlocked,
	"stop_payment_order":               providers.AccountBlocked,
}

// failureCode prefers the issuer's reason (decline_code) to Stripe's summary of it (code).
func failureCode(e *apiError) providers.FailureCode {
	if e == nil {
		return providers.DeclinedCode
	}
	if c, ok := failureCodes[e.DeclineCode]; ok {
		return c
	}
	if c, ok := failureCodes[e.Code]; ok {
		return c
	}
	return providers.DeclinedCode
}

// reason is the sentence for people, and the code where Stripe gave no sentence.
func reason(e *apiError) string {
	switch {
	case e == nil:
		return "the payment was declined"
	case e.Message != "":
		return e.Message
	case e.DeclineCode != "":
		return "declined: " + e.DeclineCode
	case e.Code != "":
		return "refused: " + e.Code
	}
	return "refused without a reason"
}
