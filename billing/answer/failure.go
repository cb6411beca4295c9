package answer

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

// FailureCodes returns all of them.
func FailureCodes() []FailureCode {
	return []FailureCode{InsufficientFunds, InvalidAccount, DeclinedCode, DailyLimit, AccountBlocked}
}
