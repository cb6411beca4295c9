package workflows

import (
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

// deliveryLimit bounds one activity: the time in which it takes new work, the attempt that is then under way, and the
// transaction that records it.
const deliveryLimit = 90 * time.Second

// WebhookEndpoint delivers to one endpoint: it lets an activity make the due deliveries, and sleeps until a retry is
// due or a signal says that there are more. Under load one activity makes many. It ends when the endpoint is disabled;
// a signal starts it again.
func WebhookEndpoint(ctx workflow.Context, in contract.WebhookEndpointInput) error {
	wakes := workflow.GetSignalChannel(ctx, contract.SignalWake)
	for {
		drain(wakes)
		var out contract.DeliverOutput
		if err := deliverDue(ctx, in).Get(ctx, &out); err != nil {
			return err
		}
		in.Slow = out.Slow
		if out.Gone && wakes.Len() == 0 {
			return nil
		}
		if info := workflow.GetInfo(ctx); info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > eventsPerRun {
			drain(wakes) // the new run begins with a look
			return workflow.NewContinueAsNewError(ctx, WebhookEndpoint, in)
		}
		if err := sleepUntilOwed(ctx, wakes, out); err != nil {
			return err
		}
	}
}

func deliverDue(ctx workflow.Context, in contract.WebhookEndpointInput) workflow.Future {
	queue, summary := contract.QueueWebhooks, "deliver what is due"
	if in.Slow {
		queue, summary = contract.QueueWebhooksSlow, "deliver what is due to a slow receiver"
	}
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: deliveryLimit, HeartbeatTimeout: silence, RetryPolicy: forever(time.Minute),
		Summary: summary,
	}), contract.ActivityDeliverDue, contract.DeliverInput(in))
}

// sleepUntilOwed waits for the next due time or a signal.
func sleepUntilOwed(ctx workflow.Context, wakes workflow.ReceiveChannel, out contract.DeliverOutput) error {
	var next alarm
	next.set(ctx, out.NextAt, "the next attempt is due")
	workflow.SetCurrentDetails(ctx, deliveryDetails(out))
	err := workflow.Await(ctx, func() bool { return next.rang() || wakes.Len() > 0 })
	next.set(ctx, time.Time{}, "")
	return err
}

// deliveryDetails is Markdown for the Temporal UI.
func deliveryDetails(out contract.DeliverOutput) string {
	var b strings.Builder
	line := func(label, value string) { b.WriteString("- **" + label + "**: " + value + "\n") }
	if out.NextAt.IsZero() {
		line("Waits for", "an event")
	} else {
		line("Waits for", "the next attempt, due at "+stamp(out.NextAt))
	}
	line("Waiting for their first attempt", counted(out.Waiting))
	line("Waiting for a retry", counted(out.Retrying))
	if !out.FailingSince.IsZero() {
		line("Failing since", stamp(out.FailingSince))
	}
	if out.Slow {
		line("Receiver", "slow: it is served beside other slow ones")
	}
	return b.String()
}

func counted(n int) string {
	if n >= 1000 {
		return "1000 or more"
	}
	return strconv.Itoa(n)
}
