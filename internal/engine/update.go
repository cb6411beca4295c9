package engine

import (
	"context"
	"crypto/rand"
	"errors"
	mathrand "math/rand/v2"
	"strconv"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"perennial/billing/fault"
	"perennial/contract"
)

// The pauses between tries. A workflow that is about to continue as new is back within a moment. A Temporal that has
// reached a limit (requests a second, updates of one workflow) is not helped by being asked again at once, least of all by
// all callers in step: the pauses double, and each is spread over its upper half.
const (
	drainPause     = 50 * time.Millisecond
	drainLongest   = 500 * time.Millisecond
	exhaustedPause = 500 * time.Millisecond
	longestPause   = 5 * time.Second
)

// pauseAfter is how long to wait after a try (from 0) that failed with err. spread is a random number in [0, 1).
func pauseAfter(err error, try int, spread float64) time.Duration {
	pause, longest := drainPause, drainLongest
	var exhausted *serviceerror.ResourceExhausted
	if errors.As(err, &exhausted) {
		pause, longest = exhaustedPause, longestPause
	}
	pause = min(pause<<min(try, 10), longest)
	return pause/2 + time.Duration(spread*float64(pause/2))
}

// asked names one asking of a command. Temporal answers a name that it knows from memory, but a refusal that passes by
// itself must be judged anew; what makes a repeat of a command recognisable is its own id, in the database.
func asked(commandID string) string { return commandID + "/" + rand.Text() }

// update sends one Update, with a start in case the workflow was lost, and waits for its result. While the workflow
// drains before it continues as new it refuses updates, and Temporal refuses what is above its limits; those are tried
// again, ever more slowly, until ctx ends.
func update[R any](
	ctx context.Context, c client.Client, name, id string, arg any, start func() client.WithStartWorkflowOperation,
) (R, error) {
	for try := 0; ; try++ {
		result, err := updateOnce[R](ctx, c, name, id+"/"+strconv.Itoa(try), arg, start())
		if err == nil || !worthAnotherTry(err) {
			return result, engineError(err)
		}
		select {
		case <-ctx.Done():
			return result, ErrUnavailable.Because(err)
		case <-time.After(pauseAfter(err, try, mathrand.Float64())):
		}
	}
}

func updateOnce[R any](
	ctx context.Context, c client.Client, name, id string, arg any, start client.WithStartWorkflowOperation,
) (result R, err error) {
	handle, err := c.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: id, UpdateName: name, Args: []any{arg}, WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return result, err
	}
	return result, handle.Get(ctx, &result)
}

// worthAnotherTry tells whether the workflow was between two runs.
func worthAnotherTry(err error) bool {
	var application *temporal.ApplicationError
	if errors.As(err, &application) {
		return application.Type() == contract.ErrorDraining || application.Type() == "AcceptedUpdateCompletedWorkflow"
	}
	var notReady *serviceerror.WorkflowNotReady
	var aborted *serviceerror.Aborted
	var exhausted *serviceerror.ResourceExhausted
	return errors.As(err, &notReady) || errors.As(err, &aborted) || errors.As(err, &exhausted)
}

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
