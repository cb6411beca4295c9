package api

import (
	"context"
	"net/http"

	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"perennial/api/httpkit"
	"perennial/billing/lifecycle"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/internal/telemetry"
	"perennial/service"
)

// perform runs a command of a subscription as one transaction, and then wakes its workflow. render makes the answer.
func perform[T any](
	ctx context.Context, s *Server, c *httpkit.Call, name string, subscriptionID string, status int,
	ask func(tx *db.Tx) (service.Performed, error), render func(service.Performed) T,
) (*httpkit.Reply[T], error) {
	var performed service.Performed
	out, err := httpkit.Command(ctx, s.kit, c, status, func(tx *db.Tx) (httpkit.Made[T], error) {
		var err error
		if performed, err = ask(tx); err != nil {
			return httpkit.Made[T]{}, err
		}
		return httpkit.Made[T]{Resource: render(performed), CustomerID: performed.Subscription.CustomerID}, nil
	}, func() (func(), error) { return s.gate.Enter(subscriptionID) })
	if err == nil && out.Replayed == "" {
		failpoint.Hit(failpoint.CommandCommitted)
		s.follow(ctx, c, name, performed)
	}
	return out, err
}

// followers is how many workflows are told at once what a request has given them to do.
const followers = 16

// follow tells the workflows what commands have given them to do, within the time that there is for all of it. Best effort:
// the reconciler signals and starts what stays pending.
func (s *Server) follow(ctx context.Context, c *httpkit.Call, signal string, performed ...service.Performed) {
	ctx, cancel := s.kit.Afterwards(ctx)
	defer cancel()
	if len(performed) == 1 {
		s.followOne(ctx, c, signal, performed[0])
		return
	}
	var tell errgroup.Group
	tell.SetLimit(followers)
	for _, p := range performed {
		tell.Go(func() error {
			s.followOne(ctx, c, signal, p)
			return nil
		})
	}
	_ = tell.Wait() // none of them fails
}

func (s *Server) followOne(ctx context.Context, c *httpkit.Call, signal string, performed service.Performed) {
	id := performed.Subscription.ID
	if performed.Wake != nil {
		wake := *performed.Wake
		wake.By, wake.Actor = "key", c.KeyID
		s.bestEffort(ctx, signal, id, s.engine.Wake(ctx, contract.Ref{EnvironmentID: c.EnvironmentID, ID: id}, signal, wake))
	}
	for _, refund := range performed.Starts {
		s.startPaymentWithin(ctx, c.EnvironmentID, refund)
	}
}

// command performs one that answers with the subscription as the command left it.
func (s *Server) command(
	ctx context.Context, c *httpkit.Call, name string, ask func(tx *db.Tx, id string) (service.Performed, error),
) (*httpkit.Reply[Subscription], error) {
	id := httpkit.Resource[subscription.Subscription](c).ID
	return perform(ctx, s, c, name, id, http.StatusOK,
		func(tx *db.Tx) (service.Performed, error) { return ask(tx, id) },
		func(p service.Performed) Subscription { return renderSubscription(p.Subscription) })
}

// attributesOf is what the engine shows and searches a subscription by.
func attributesOf(environmentID string, sub subscription.Subscription) contract.SubscriptionStart {
	return contract.SubscriptionStart{
		Input:      contract.SubscriptionInput{Ref: contract.Ref{EnvironmentID: environmentID, ID: sub.ID}},
		CustomerID: sub.CustomerID, PlanID: sub.PlanID, Status: string(sub.Status), NextAction: string(sub.NextAction),
	}
}

// startSubscription is best effort: the reconciler starts what is not marked started.
func (s *Server) startSubscription(ctx context.Context, environmentID string, sub subscription.Subscription) {
	ctx, cancel := s.kit.Afterwards(ctx)
	defer cancel()
	epoch := s.started.epoch()
	start := attributesOf(environmentID, sub)
	first := contract.SnapshotOf(lifecycle.State{Subscription: sub}, false)
	if sub.TestClockID != "" {
		first.ClockNow = sub.CreatedAt
	}
	start.Input.Snapshot = &first // spares the new workflow a look at the row
	err := s.engine.StartSubscription(ctx, start)
	s.bestEffort(ctx, "start", sub.ID, err)
	if err == nil {
		s.started.add(db.StartedSubscriptions, epoch, db.Ref{EnvironmentID: environmentID, ID: sub.ID})
	}
}

// startPayment is best effort too.
func (s *Server) startPayment(ctx context.Context, environmentID, transactionID string) {
	ctx, cancel := s.kit.Afterwards(ctx)
	defer cancel()
	s.startPaymentWithin(ctx, environmentID, transactionID)
}

// startPaymentWithin takes no longer than ctx.
func (s *Server) startPaymentWithin(ctx context.Context, environmentID, transactionID string) {
	epoch := s.started.epoch()
	err := s.engine.StartPayment(ctx, contract.PaymentInput{Ref: contract.Ref{EnvironmentID: environmentID, ID: transactionID}})
	s.bestEffort(ctx, "start", transactionID, err)
	if err == nil {
		s.started.add(db.StartedTransactions, epoch, db.Ref{EnvironmentID: environmentID, ID: transactionID})
	}
}

// advanceClock is best effort too.
func (s *Server) advanceClock(ctx context.Context, ref contract.Ref) {
	ctx, cancel := s.kit.Afterwards(ctx)
	defer cancel()
	s.bestEffort(ctx, "advance", ref.ID, s.engine.AdvanceClock(ctx, ref))
}

// bestEffort logs what the reconciler will have to repeat.
func (s *Server) bestEffort(ctx context.Context, what, workflowID string, err error) {
	if err != nil {
		telemetry.For(ctx, s.telemetry.Logger).Warn("left to the reconciler",
			zap.String("what", what), telemetry.WorkflowID(workflowID), zap.Error(err))
	}
}
