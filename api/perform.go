package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"go.uber.org/zap"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/telemetry"
)

// perform has a subscription's workflow carry out a command.
func (s *Server) perform(ctx context.Context, c *httpkit.Call, sub subscription.Subscription, cmd contract.Command) error {
	result, err := s.engine.Command(ctx, attributesOf(c.EnvironmentID, sub), cmd)
	if errors.Is(err, contract.ErrFinished) {
		result, err = s.outcome(ctx, c, cmd.ID)
	}
	return cmp.Or(err, result.Refusal.Err())
}

// outcome is what a finished subscription did with a command: what it stored, if the command was performed before it
// finished, else a refusal, because nothing leaves canceled.
func (s *Server) outcome(ctx context.Context, c *httpkit.Call, commandID string) (contract.CommandResult, error) {
	known, found, err := s.store.CommandOutcome(ctx, c.EnvironmentID, commandID)
	if err != nil {
		return contract.CommandResult{}, err
	}
	if !found {
		return contract.CommandResult{}, subscription.ErrCanceled
	}
	var result contract.CommandResult
	if err := json.Unmarshal(known, &result); err != nil {
		return contract.CommandResult{}, fault.New(fault.Internal, "internal", "").Because(err)
	}
	return result, nil
}

// performAndRead answers with the subscription as the command left it.
func (s *Server) performAndRead(ctx context.Context, c *httpkit.Call, cmd contract.Command) (httpkit.Made[Subscription], error) {
	sub := httpkit.Resource[subscription.Subscription](c)
	if err := s.perform(ctx, c, sub, cmd); err != nil {
		return httpkit.Made[Subscription]{}, err
	}
	sub, err := s.store.Subscription(ctx, c.EnvironmentID, sub.ID)
	return httpkit.Made[Subscription]{Resource: renderSubscription(sub), CustomerID: sub.CustomerID}, err
}

// completes names the idempotency row that a command completes; nil: none.
func completes(r httpkit.Run) *contract.IdempotencyRef {
	if r.Key == "" {
		return nil
	}
	return &contract.IdempotencyRef{Route: r.Route, Key: r.Key}
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
	first := contract.SnapshotOf(sub)
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
	epoch := s.started.epoch()
	err := s.engine.StartPayment(ctx, contract.PaymentInput{Ref: contract.Ref{EnvironmentID: environmentID, ID: transactionID}})
	s.bestEffort(ctx, "start", transactionID, err)
	if err == nil {
		s.started.add(db.StartedTransactions, epoch, db.Ref{EnvironmentID: environmentID, ID: transactionID})
	}
}

// bestEffort logs what the reconciler will have to repeat.
func (s *Server) bestEffort(ctx context.Context, what, workflowID string, err error) {
	if err != nil {
		telemetry.For(ctx, s.telemetry.Logger).Warn("left to the reconciler",
			zap.String("what", what), telemetry.WorkflowID(workflowID), zap.Error(err))
	}
}
