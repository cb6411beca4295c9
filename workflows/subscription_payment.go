package workflows

import (
	"go.temporal.io/sdk/workflow"

	"perennial/activities"
	"perennial/contract"
)

// payments names the activities; the worker registers the real ones.
var payments *activities.Payments

// paymentCall is the one exchange with a provider that may be in flight; everything else goes on beside it.
type paymentCall struct {
	transactionID string
	future        workflow.Future
}

func (p paymentCall) idle() bool  { return p.future == nil }
func (p paymentCall) ready() bool { return p.future != nil && p.future.IsReady() }

// nextCheck names the transaction to bring further now; empty: none. Word from a provider goes first.
func (s *subscriptionRun) nextCheck(ctx workflow.Context) string {
	if len(s.checks) > 0 {
		return s.checks[0]
	}
	if live := s.snap.Live; live != nil && !live.CheckAt.After(workflow.Now(ctx)) {
		return live.TransactionID
	}
	return ""
}

// startPayment starts the exchange and does not wait for it.
func (s *subscriptionRun) startPayment(ctx workflow.Context) {
	in := contract.ResolveInput{EnvironmentID: s.ref.EnvironmentID, TransactionID: s.nextCheck(ctx), Now: s.now(ctx)}
	if len(s.checks) > 0 {
		in.Asked = true
		s.checks = s.checks[1:]
	}
	activity, summary := any(payments.Charge), "charge "+in.TransactionID
	if in.Asked || s.snap.Live != nil && s.snap.Live.Sent {
		activity, summary = payments.CheckPayment, "check "+in.TransactionID
	}
	s.payment = paymentCall{transactionID: in.TransactionID, future: atProvider(ctx, summary, activity, in)}
}

// collectPayment takes the answer of the exchange that has ended.
func (s *subscriptionRun) collectPayment(ctx workflow.Context) {
	var out contract.ResolveOutput
	err := s.payment.future.Get(ctx, &out)
	s.payment, s.obeyed = paymentCall{}, false
	switch {
	case err != nil:
		s.failed = err
	case out.Snapshot != nil && out.Snapshot.Revision < s.snap.Revision:
		// A command was performed while the answer was under way: what it told is newer.
		s.woken = true
	case out.Snapshot != nil:
		s.learn(out.Snapshot, nil)
	}
}

func (s *subscriptionRun) liveID() string {
	if s.snap.Live == nil {
		return ""
	}
	return s.snap.Live.TransactionID
}
