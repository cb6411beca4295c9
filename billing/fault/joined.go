package fault

import (
	"errors"
	"slices"
)

// Joined returns one fault as it is, and several for a response that lists them.
func Joined(errs ...error) error {
	errs = slices.DeleteFunc(errs, func(err error) bool { return err == nil })
	if len(errs) == 1 {
		return errs[0]
	}
	return errors.Join(errs...)
}
