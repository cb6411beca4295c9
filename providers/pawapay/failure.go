package pawapay

import "perennial/providers"

const (
	refundInProgress = "REFUND_IN_PROGRESS" // one refund of a deposit at a time
	unknownError     = "UNKNOWN_ERROR"      // pawaPay does not know itself what became of the request
)

// unavailable are the refusals that say that the operation was not accepted, for reasons that have nothing to do with
// the payer: later, or elsewhere, it may go through.
var unavailable = map[string]bool{
	"AUTHENTICATION_ERROR":             true,
	"AUTHORISATION_ERROR":              true,
	"DEPOSITS_NOT_ALLOWED":             true,
	"HTTP_SIGNATURE_ERROR":             true,
	"NO_AUTHENTICATION":                true,
	"PROVIDER_TEMPORARILY_UNAVAILABLE": true,
	refundInProgress:                   true,
	"REFUNDS_NOT_ALLOWED":              true,
}

// operatorsOwn are those that concern one operator, and not the account.
var operatorsOwn = map[string]bool{"DEPOSITS_NOT_ALLOWED": true, "PROVIDER_TEMPORARILY_UNAVAILABLE": true}

// failureCodes maps pawaPay's codes to ours. A code that is not here is DECLINED: pawaPay adds new ones.
var failureCodes = map[string]providers.FailureCode{
	"INSUFFICIENT_BALANCE": providers.InsufficientFunds,

	"PAYER_LIMIT_REACHED":  providers.DailyLimit,
	"WALLET_LIMIT_REACHED": providers.DailyLimit,

	"INVALID_PHONE_NUMBER": providers.InvalidAccount,
	"INVALID_PROVIDER":     providers.InvalidAccount,
	"PAYER_NOT_FOUND":      providers.InvalidAccount,
}

// payersOwn are the refusals at initiation that are about the payer, and not about the request.
var payersOwn = map[string]bool{
	"INSUFFICIENT_BALANCE": true, "INVALID_PHONE_NUMBER": true, "INVALID_PROVIDER": true, "PAYER_LIMIT_REACHED": true,
	"PAYER_NOT_FOUND": true, "PAYMENT_IN_PROGRESS": true, "PAYMENT_NOT_APPROVED": true, "WALLET_LIMIT_REACHED": true,
}

func failureCode(code string) providers.FailureCode {
	if c, ok := failureCodes[code]; ok {
		return c
	}
	return providers.DeclinedCode
}

// sentences explain the codes that a customer's page shows, for records that carry no message.
var sentences = map[string]string{
	"PAYMENT_IN_PROGRESS":  "The payer has an unanswered prompt of an earlier payment.",
	"PAYMENT_NOT_APPROVED": "The payer did not approve the payment in time.",
}

// reason is the sentence for people; the code begins it, because pawaPay's support asks for it.
func (p *PawaPay) reason(code, message string) string {
	if message == "" {
		message = sentences[code]
	}
	switch {
	case code == "" && message == "":
		return "pawaPay gave no reason"
	case code == "":
		return p.scrub(message)
	case message == "":
		return p.scrub(code)
	}
	return p.scrub(code + ": " + message)
}
