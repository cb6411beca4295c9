package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"perennial/contract"
)

// paymentCall is the one exchange with a provider that may be in flight; everything else continues meanwhile.
type paymentCall struct {
	about  contract.ResolveInput
	future workflow.Future
	// overtaken: the snapshot was reloaded while the exchange was in flight.
	overtaken bool
}

func (p paymentCall) idle() bool  { return p.future == nil }
func (p paymentCall) ready() bool { return p.future != nil && p.future.IsReady() }

// nextCheck names the transaction to bring further now; empty: none. Word from a provider goes first.
func (s *subscriptionRun) nextCheck(ctx workflow.Context) string {
	if len(s.checks) > 0 {
		return s.checks[0]
	}
	if s.liveDue(ctx) {
		return s.snap.Live.TransactionID
	}
	return ""
}

// liveDue reports whether it is time to send the attempt under way, or to ask about it.
func (s *subscriptionRun) liveDue(ctx workflow.Context) bool {
	return s.snap.Live != nil && !later(s.snap.Live.CheckAt, s.checkRests).After(workflow.Now(ctx))
}

// startPayment starts the exchange and does not wait for it.
func (s *subscriptionRun) startPayment(ctx workflow.Context) {
	in := contract.ResolveInput{EnvironmentID: s.ref.EnvironmentID, TransactionID: s.nextCheck(ctx), Now: s.now(ctx)}
	if len(s.checks) > 0 {
		in.Asked = true
		s.checks = s.checks[1:]
	}
	summary := "charge " + in.TransactionID
	if in.Asked || s.snap.Live != nil && s.snap.Live.Sent {
		summary = "check " + in.TransactionID
	}
	s.payment = paymentCall{about: in, future: atProvider(ctx, summary, exchangeLimit, in)}
}

// collectPayment takes the answer of the exchange that has ended.
func (s *subscriptionRun) collectPayment(ctx workflow.Context) {
	var out contract.ResolveOutput
	err := s.payment.future.Get(ctx, &out)
	about, overtaken := s.payment.about, s.payment.overtaken
	s.payment, s.byWake, s.usage.overtaken = paymentCall{}, false, true
	switch {
	case outOfTime(err): // begin again; the transaction's row knows what was sent
		if about.Asked {
			s.addCheck(about.TransactionID)
		}
	case err != nil:
		s.failed = err
	case out.Snapshot == nil: // the transaction is gone: the database was restored to a moment before it
		s.woken = true
	case out.Snapshot.Revision < s.snap.Revision || overtaken && out.Snapshot.Revision == s.snap.Revision:
		// A signal came while the answer was under way. A new attempt does not change the subscription's revision, so
		// that only the database knows which of two snapshots with the same revision is newer.
		s.woken = true
	case !s.learn(out.Snapshot) && s.liveDue(ctx) && s.snap.Live.TransactionID == about.TransactionID:
		s.checkRests = workflow.Now(ctx).Add(standstill)
	}
}

// outOfTime reports whether an activity took longer than all its repeats may: the server then returns the time-out, or
// the last error that was to be repeated. Any other error would end it again at once.
func outOfTime(err error) bool {
	var repeatable *temporal.ApplicationError
	return temporal.IsTimeoutError(err) || temporal.IsPanicError(err) ||
		errors.As(err, &repeatable) && !repeatable.NonRetryable()
}

// leavesBoundary reports whether the timer of the next date is left to the next run: this run ends with the exchange in
// flight, which ends before that date. A timer started here would be started twice.
func (s *subscriptionRun) leavesBoundary(ctx workflow.Context) bool {
	next, _ := s.nextAt()
	return s.hadItsPeriod(ctx) && !s.payment.idle() && !s.boundary.armedFor(next) &&
		next.Sub(workflow.Now(ctx)) > exchangeLimit
}

func (s *subscriptionRun) liveID() string {
	if s.snap.Live == nil {
		return ""
	}
	return s.snap.Live.TransactionID
}
