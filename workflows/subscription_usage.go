package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/billing/subscription"
	"perennial/contract"
)

const (
	ratingLimit    = 10 * time.Minute // one attempt to rate the usage of an invoice
	ratingAttempts = 3
	ratingRest     = 10 * time.Minute // the longest rest of a rating that fails
)

// usageCall is the open rating of usage; signals and payments continue meanwhile.
type usageCall struct {
	future workflow.Future
	failed int       // times in a row that the activity ended without a result
	rests  time.Time // it is not repeated before then
	// overtaken: the snapshot was reloaded while it was under way.
	overtaken bool
}

func (u usageCall) idle() bool  { return u.future == nil }
func (u usageCall) ready() bool { return u.future != nil && u.future.IsReady() }

// ratesUsage reports whether the subscription waits for the rating of usage.
func (s *subscriptionRun) ratesUsage() bool {
	return s.snap != nil && s.snap.NextAction == subscription.ActionBillUsage
}

// usageAt returns when, in real time, the rating of usage is due; zero: never, or it is under way.
func (s *subscriptionRun) usageAt() time.Time {
	if !s.ratesUsage() || !s.usage.idle() {
		return time.Time{}
	}
	return s.realTime(s.snap.NextAction, s.snap.NextAt, s.usage.rests)
}

// usageDue reports whether usage is to be rated now.
func (s *subscriptionRun) usageDue(ctx workflow.Context) bool { return passed(ctx, s.usageAt()) }

// startUsage begins to rate the usage that a draft waits for.
func (s *subscriptionRun) startUsage(ctx workflow.Context) {
	s.byWake, s.usage.overtaken = false, false
	s.usage.future = workflow.ExecuteActivity(workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: contract.QueueBilling, StartToCloseTimeout: ratingLimit, HeartbeatTimeout: silence,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 10 * time.Second,
			MaximumAttempts: ratingAttempts,
		},
		Summary: "bill the usage",
	}), contract.ActivityBillUsage, contract.AdvanceInput{Ref: s.ref, Now: s.now(ctx)})
}

// collectUsage records the result of the rating. The rows have the next attempt of a rating that failed for a reason of
// its own; one that ended without a result, for example where the database was not available, rests here.
func (s *subscriptionRun) collectUsage(ctx workflow.Context) {
	var snap contract.Snapshot
	err := s.usage.future.Get(ctx, &snap)
	overtaken := s.usage.overtaken
	s.usage.future, s.payment.overtaken = nil, true
	switch {
	case temporal.IsCanceledError(err):
		s.failed = err
	case err != nil:
		s.usage.failed++
		s.usage.rests = workflow.Now(ctx).Add(min(time.Duration(s.usage.failed)*standstill, ratingRest))
		s.woken = true
	case overtaken, snap.Revision < s.snap.Revision:
		s.usage.failed, s.woken = 0, true
	default:
		s.usage.failed = 0
		if !s.learn(&snap) {
			s.usage.rests = workflow.Now(ctx).Add(standstill)
		}
	}
}
