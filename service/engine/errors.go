package engine

import (
	"errors"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/fault"
	"perennial/contract"
)

// engineError translates what the SDK says. Whatever is not the workflow's own answer is the engine's trouble.
func engineError(err error) error {
	var finished *serviceerror.WorkflowExecutionAlreadyStarted
	var application *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &finished):
		return contract.ErrFinished
	case errors.As(err, &application):
		return fault.New(fault.Internal, "internal", "").Because(err)
	default:
		return ErrUnavailable.Because(err)
	}
}

// ignoreFinished: to start what has ended already is not an error.
func ignoreFinished(err error) error {
	if errors.Is(err, contract.ErrFinished) {
		return nil
	}
	return err
}
