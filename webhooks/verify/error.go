package verify

// Error is the reason why a delivery was not accepted. Code is stable, for logs and metrics. Show the sender nothing
// but a status.
type Error struct {
	Code   string
	Detail string
}

// Error implements error.
func (e *Error) Error() string { return "webhook " + e.Code + ": " + e.Detail }

// Why a delivery is not accepted. errors.Is tells them apart.
var (
	ErrNoSecret = &Error{"no_secret",
		"Verify was given no secret; pass the one that the registration of the endpoint showed."}
	ErrNoSignature = &Error{"no_signature",
		"The request has no signature headers; it was not sent by Perennial, or a proxy dropped them."}
	ErrTimestamp = &Error{"timestamp_invalid", "The timestamp header is not a time in Unix seconds."}
	ErrTooOld    = &Error{"too_old",
		"The request was signed more than 5 minutes ago; it may be a replay, or this clock is ahead."}
	ErrTooNew = &Error{"too_new",
		"The request was signed more than 1 minute in the future; this clock may be behind."}
	ErrMismatch = &Error{"mismatch",
		"No signature fits; the secret is another endpoint's, or the body was changed before Verify read it."}
)
