package main

import (
	"errors"

	"perennial/billing/fault"
	"perennial/internal/config"
)

// describe says what went wrong to somebody at a terminal. The cause of trouble is shown too: whoever runs the binary
// may see it, unlike a caller of the API. A refusal has said all; what is below it are the database's words for the
// same.
func describe(err error) string {
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

// config reads the settings that commands need.
func (p *process) config(commands ...config.Command) (config.Config, error) {
	return config.Load(p.lookup, commands...)
}
