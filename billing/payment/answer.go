package payment

import (
	"perennial/billing/answer"
	"perennial/billing/fault"
)

// CodeOf returns the failure code for a request that could not be made: INVALID_ACCOUNT where the payment method cannot
// be charged, which another one fixes, else DECLINED.
func CodeOf(f *fault.Error) answer.FailureCode {
	if f.AboutPaymentMethod() {
		return answer.InvalidAccount
	}
	return answer.DeclinedCode
}
