package workflows

import (
	"strings"
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

// sendLimit bounds one activity: the time in which it takes new mails, the mail that is then under way with its
// connection, and the transaction that records it.
const sendLimit = 3 * time.Minute

// EmailSender sends the mails of one environment: it lets an activity send those that are due, and sleeps until a retry
// is due or a signal says that there are more. It ends when the sender is deleted; a signal starts it again.
func EmailSender(ctx workflow.Context, in contract.EmailSenderInput) error {
	wakes := workflow.GetSignalChannel(ctx, contract.SignalWake)
	for {
		drain(wakes)
		var out contract.SendOutput
		if err := sendDue(ctx, in).Get(ctx, &out); err != nil {
			return err
		}
		if out.Gone && wakes.Len() == 0 {
			return nil
		}
		if info := workflow.GetInfo(ctx); info.GetContinueAsNewSuggested() || info.GetCurrentHistoryLength() > eventsPerRun {
			drain(wakes) // the new run begins with a look
			return workflow.NewContinueAsNewError(ctx, EmailSender, in)
		}
		if err := sleepUntilMail(ctx, wakes, out); err != nil {
			return err
		}
	}
}

func sendDue(ctx workflow.Context, in contract.EmailSenderInput) workflow.Future {
	return workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: contract.QueueEmails, StartToCloseTimeout: sendLimit, HeartbeatTimeout: silence,
		RetryPolicy: forever(time.Minute), Summary: "send the mails that are due",
	}), contract.ActivitySendDue, in.Ref)
}

// sleepUntilMail waits for the next due time or a signal.
func sleepUntilMail(ctx workflow.Context, wakes workflow.ReceiveChannel, out contract.SendOutput) error {
	var next alarm
	next.set(ctx, out.NextAt, "the next mail is due")
	workflow.SetCurrentDetails(ctx, mailDetails(out))
	err := workflow.Await(ctx, func() bool { return next.rang() || wakes.Len() > 0 })
	next.set(ctx, time.Time{}, "")
	return err
}

// mailDetails is Markdown for the Temporal UI.
func mailDetails(out contract.SendOutput) string {
	var b strings.Builder
	line := func(label, value string) { b.WriteString("- **" + label + "**: " + value + "\n") }
	if out.NextAt.IsZero() {
		line("Waits for", "a mail")
	} else {
		line("Waits for", "the next attempt, due at "+stamp(out.NextAt))
	}
	line("Mails that wait", counted(out.Waiting))
	if out.Trouble != "" {
		line("Mail server", "fails: "+out.Trouble)
	}
	return b.String()
}
