package workflows

import (
	"go.temporal.io/sdk/workflow"

	"perennial/activities"
	"perennial/contract"
)

// clocks names the activities; the worker registers the real ones.
var clocks *activities.Clocks

// stepsPerRun bounds one run's history.
const stepsPerRun = 200

// TestClock moves one test clock to its target, step by step in due order, and ends when it is there. Asking for an
// advance starts it.
func TestClock(ctx workflow.Context, in contract.TestClockInput) error {
	run := &clockRun{ref: in.Ref, busy: in.Busy}
	err := workflow.SetUpdateHandlerWithOptions(ctx, contract.UpdateAdvance, run.advance, workflow.UpdateHandlerOptions{
		Description: "Move the clock to a later instant",
		Validator: func(workflow.Context, contract.Advance) error {
			if run.draining {
				return errDraining
			}
			return nil
		},
	})
	if err != nil {
		return err
	}
	if !run.busy {
		if err := workflow.Await(ctx, func() bool { return run.answered > 0 }); err != nil {
			return err
		}
	}
	var step contract.StepResult
	for steps := 0; run.busy && !step.Done && len(step.BlockedBy) == 0; steps++ {
		if steps == stepsPerRun {
			run.draining = true
			if err := workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) }); err != nil {
				return err
			}
			return workflow.NewContinueAsNewError(ctx, TestClock, contract.TestClockInput{Ref: in.Ref, Busy: true})
		}
		if err := run.step(ctx, &step); err != nil {
			return err
		}
	}
	run.draining = true
	if run.busy {
		_, err := inDatabase[struct{}](ctx, "finish the advance", clocks.FinishAdvance, in.Ref, step.BlockedBy)
		if err != nil {
			return err
		}
	}
	return workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
}

type clockRun struct {
	ref      contract.Ref
	busy     bool // there is a target to move to
	answered int
	draining bool
}

// advance notes the target; the main loop moves.
func (r *clockRun) advance(ctx workflow.Context, in contract.Advance) (contract.AdvanceResult, error) {
	out, err := inDatabase[contract.AdvanceResult](ctx, "begin the advance", clocks.BeginAdvance, contract.AdvanceInput{Ref: r.ref, Advance: in})
	if err == nil && out.Refusal == nil {
		r.busy = true
	}
	r.answered++
	return out, err
}

func (r *clockRun) step(ctx workflow.Context, out *contract.StepResult) error {
	options := workflow.ActivityOptions{
		TaskQueue: contract.QueueBilling, StartToCloseTimeout: clockStepLimit, HeartbeatTimeout: silence,
		RetryPolicy: forever(clockRetry), Summary: "move to the next due instant",
	}
	*out = contract.StepResult{}
	err := workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, options), clocks.StepClock, r.ref).Get(ctx, out)
	if err == nil {
		workflow.SetCurrentDetails(ctx, "- **Clock stands at**: "+stamp(out.Now)+"\n")
	}
	return err
}
