package workflows

import (
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

// stepsPerRun bounds one run's history.
const stepsPerRun = 200

// TestClock moves one test clock to its target, step by step in due order, and ends when the target is reached. The
// signal for an advance starts it; a later signal makes it look for another target.
func TestClock(ctx workflow.Context, in contract.TestClockInput) error {
	advances := workflow.GetSignalChannel(ctx, contract.SignalAdvance)
	drain(advances)
	for steps := 1; ; steps++ {
		step, err := stepClock(ctx, in.Ref)
		if err != nil {
			return err
		}
		if step.Done && !drain(advances) {
			return nil
		}
		if steps >= stepsPerRun {
			drain(advances) // the new run begins with a step, which finds the present target
			return workflow.NewContinueAsNewError(ctx, TestClock, in)
		}
	}
}

func stepClock(ctx workflow.Context, ref contract.Ref) (contract.StepResult, error) {
	options := workflow.ActivityOptions{
		TaskQueue: contract.QueueBilling, StartToCloseTimeout: clockStepLimit, HeartbeatTimeout: silence,
		RetryPolicy: forever(clockRetry), Summary: "move to the next due instant",
	}
	var out contract.StepResult
	ctx = workflow.WithActivityOptions(ctx, options)
	err := workflow.ExecuteActivity(ctx, contract.ActivityStepClock, ref).Get(ctx, &out)
	if err == nil {
		workflow.SetCurrentDetails(ctx, "- **Clock stands at**: "+stamp(out.Now)+"\n")
	}
	return out, err
}
