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

// Describe returns an error as a text for a terminal. It includes the cause, which the person who runs the binary may
// see, unlike a caller of the API. It omits the cause of a refusal: the database only repeats it in other words.
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
