package cli

import (
	"errors"
	"fmt"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/config"
)

// Counted writes a number with its noun; a count that stopped says so.
func Counted(n int, what string) string {
	if n >= db.BacklogAtMost {
		return fmt.Sprintf("at least %d %ss", n, what)
	}
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Describe says what went wrong to somebody at a terminal. The cause of trouble is shown too: whoever runs the binary
// may see it, unlike a caller of the API. A refusal has said all; what is below it are the database's words for the
// same.
func Describe(err error) string {
	var faults config.Faults
	if errors.As(err, &faults) {
		return faults.Error()
	}
	var f *fault.Error
	if errors.As(err, &f) {
		cause := errors.Unwrap(f)
		if trouble := f.Kind == fault.Internal || f.Kind == fault.Unavailable; trouble && cause != nil {
			return f.Detail + " [" + f.Code + "]: " + cause.Error()
		}
		return f.Detail + " [" + f.Code + "]"
	}
	return err.Error()
}
