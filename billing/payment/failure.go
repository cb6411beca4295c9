package payment

import (
	"perennial/billing/answer"
	"perennial/billing/fault"
)

// The failure codes that do not come from a provider. Both are of the interface specification's list, to which adapters
// map their providers' own words.
const (
	// CodeInvalidAccount: the customer cannot be charged like this; another payment method fixes it.
	CodeInvalidAccount = string(answer.InvalidAccount)
	// CodeDeclined: none of the others tells why.
	CodeDeclined = string(answer.DeclinedCode)
)

// CodeOf returns the failure code for a request that could not be made: INVALID_ACCOUNT where the payment method cannot
// be charged, which another one fixes, else DECLINED.
func CodeOf(f *fault.Error) answer.FailureCode {
	if f.AboutPaymentMethod() {
		return answer.InvalidAccount
	}
	return answer.DeclinedCode
}

// unexplained is the reason of a failure that came without one.
const unexplained = "The provider gave no reason."

// explained gives a failed attempt a code and a reason where they are missing: receivers branch on the code and people
// read the reason.
func (t Transaction) explained() Transaction {
	if t.FailureCode == "" {
		t.FailureCode = CodeDeclined
	}
	if t.FailureReason == "" {
		t.FailureReason = unexplained
	}
	return t
}
