package engine

import (
	"errors"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/fault"
)

// errFinished reports that a workflow has ended and may not be started again.
var errFinished = errors.New("engine: the workflow has finished")

// engineError translates the SDK's errors. Every error that does not come from the workflow is an engine failure.
func engineError(err error) error {
	var finished *serviceerror.WorkflowExecutionAlreadyStarted
	var application *temporal.ApplicationError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &finished):
		return errFinished
	case errors.As(err, &application):
		return fault.New(fault.Internal, "internal", "").Because(err)
	default:
		return ErrUnavailable.Because(err)
	}
}

// ignoreFinished drops errFinished: a workflow that has already ended needs no start.
func ignoreFinished(err error) error {
	if errors.Is(err, errFinished) {
		return nil
	}
	return err
}
