package providers

// Outcome is what one exchange with a provider proved. Silence proves nothing: see Unknown.
type Outcome string

// The outcomes.
const (
	// Succeeded: the money moved (charge captured, refund paid out).
	Succeeded Outcome = "succeeded"
	// Declined: payer or issuer refused synchronously. Final for this attempt.
	Declined Outcome = "declined"
	// Failed: a pending operation ended badly, or a technical refusal by the provider. Final for this attempt.
	Failed Outcome = "failed"
	// Canceled: the provider confirms that the charge was canceled and will not capture.
	Canceled Outcome = "canceled"
	// Pending: accepted, not final yet.
	Pending Outcome = "pending"
	// Unknown: bytes left, and no answer that proves anything came back (time-out, reset, 5xx). Never failed on this.
	Unknown Outcome = "unknown"
	// NotSent: surely not taken: DNS, connect or TLS failure, 401, 403, 429, or a documented "not processed". Safe to
	// send again, here or elsewhere. Only from Charge and Refund: a look-up or cancel that did not get through says
	// nothing about the operation it asked after, so those answer Unknown. CompleteCharge has a use of its own for it.
	NotSent Outcome = "not_sent"
	// NotFound: only from look-ups: the provider knows no such operation.
	NotFound Outcome = "not_found"
)

// Final reports whether the provider will not change its mind about the operation by itself.
func (o Outcome) Final() bool {
	return o == Succeeded || o == Declined || o == Failed || o == Canceled
}

// FailureCode is the normalised reason of a failed payment; the five values are the interface specification's.
type FailureCode string

// The failure codes.
const (
	InsufficientFunds FailureCode = "INSUFFICIENT_FUNDS"
	InvalidAccount    FailureCode = "INVALID_ACCOUNT"
	DeclinedCode      FailureCode = "DECLINED"
	DailyLimit        FailureCode = "DAILY_LIMIT"
	AccountBlocked    FailureCode = "ACCOUNT_BLOCKED"
)

// MethodFault begins the code of every fault that is about the customer's payment method, not about the request.
const MethodFault = "payment_method_"
