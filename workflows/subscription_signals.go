package workflows

import (
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"perennial/billing/subscription"
	"perennial/contract"
)

// signals are the channels of a subscription's run. Every wake-up means the same: the row changed.
// The names tell operators why.
type signals struct {
	checks workflow.ReceiveChannel
	wakes  []workflow.ReceiveChannel
}

func listen(ctx workflow.Context) signals {
	l := signals{checks: workflow.GetSignalChannel(ctx, contract.SignalCheck)}
	for _, name := range append([]string{contract.SignalWake}, contract.CommandSignals...) {
		l.wakes = append(l.wakes, workflow.GetSignalChannel(ctx, name))
	}
	return l
}

// arrived reports whether a signal waits to be read.
func (l signals) arrived() bool {
	return l.checks.Len() > 0 || slices.ContainsFunc(l.wakes, func(c workflow.ReceiveChannel) bool { return c.Len() > 0 })
}

// receive reads all signals that have arrived: a signal that a run leaves unread is lost.
func (s *subscriptionRun) receive() {
	for {
		var check contract.Check
		if !s.signals.checks.ReceiveAsync(&check) {
			break
		}
		s.addCheck(check.TransactionID)
	}
	for _, wakes := range s.signals.wakes {
		for {
			var wake contract.Wake
			if !wakes.ReceiveAsync(&wake) {
				break
			}
			s.hear(wake)
		}
	}
}

// hear uses the snapshot of a signal instead of a reload where it is newer than all that the run knows. Otherwise the
// row is read: signals may come out of order, and a restored database begins again at an older revision.
func (s *subscriptionRun) hear(wake contract.Wake) {
	if s.snap == nil || wake.Snapshot == nil || wake.Snapshot.Revision <= s.snap.Revision {
		s.woken = true
		return
	}
	s.learn(wake.Snapshot)
	s.usage.overtaken = true
	s.byWake = true
}

// addCheck notes a transaction to ask the provider about.
// A signal that names none, as an operator may send it, is a wake-up.
func (s *subscriptionRun) addCheck(transactionID string) {
	if transactionID == "" {
		s.woken = true
		return
	}
	if !slices.Contains(s.checks, transactionID) {
		s.checks = append(s.checks, transactionID)
	}
}

// nextAt returns when, in real time, the run does something automatically, and what; zero: nothing.
func (s *subscriptionRun) nextAt() (time.Time, subscription.Action) {
	due, usage := s.dueAt(), s.usageAt()
	if due.IsZero() || !usage.IsZero() && usage.Before(due) {
		return usage, s.snap.NextAction
	}
	return due, s.dueAction()
}

// sleep waits for the first of: the next date, the next check of a payment, the end of the one in flight, a signal.
func (s *subscriptionRun) sleep(ctx workflow.Context) {
	boundary, of := s.nextAt()
	if s.leavesBoundary(ctx) {
		boundary = time.Time{}
	}
	s.boundary.set(ctx, boundary, string(of)+" of "+s.ref.ID)
	check := time.Time{}
	if s.snap.Live != nil && s.payment.idle() {
		check = later(s.snap.Live.CheckAt, s.checkRests)
	}
	s.check.set(ctx, check, "ask the provider about "+s.liveID())
	s.show(ctx, s.waitsFor())
	err := workflow.Await(ctx, func() bool {
		return s.boundary.rang() || s.check.rang() || s.payment.ready() || s.usage.ready() || s.due(ctx) ||
			s.usageDue(ctx) || s.signals.arrived()
	})
	if err != nil {
		s.failed = err
	}
}
