package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"

	"perennial/api/httpkit"
	"perennial/billing/fault"
	"perennial/billing/subscription"
	"perennial/contract"
	"perennial/service/dispatch"
)

// perform has a subscription's workflow carry out a command.
func (s *Server) perform(
	ctx context.Context, c *httpkit.Call, sub subscription.Subscription, cmd contract.Command,
) error {
	result, err := s.engine.Command(ctx, dispatch.StartOf(c.EnvironmentID, sub), cmd)
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
func (s *Server) performAndRead(
	ctx context.Context, c *httpkit.Call, cmd contract.Command,
) (httpkit.Made[Subscription], error) {
	sub := httpkit.Resource[subscription.Subscription](c)
	if err := s.perform(ctx, c, sub, cmd); err != nil {
		return httpkit.Made[Subscription]{}, err
	}
	sub, err := s.store.Subscription(ctx, c.EnvironmentID, sub.ID)
	return madeSubscription(sub), err
}

// completes names the idempotency row that a command completes; nil: none.
func completes(r httpkit.Run) *contract.IdempotencyRef {
	if r.Key == "" {
		return nil
	}
	return &contract.IdempotencyRef{Route: r.Route, Key: r.Key}
}

// inParam makes "not found" name the field of the body that referred to it.
func inParam(err error, param string) error {
	if f := fault.From(err); f != nil && f.Kind == fault.NotFound {
		return httpkit.NotFound(f).In(param)
	}
	return err
}
