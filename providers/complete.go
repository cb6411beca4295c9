package providers

import "context"

// SelfCompleting is part of every adapter whose provider completes a charge itself when the payer has confirmed it.
type SelfCompleting struct{}

// CompleteCharge returns Unknown: there is nothing to hand over.
func (SelfCompleting) CompleteCharge(context.Context, CompleteRequest) (Result, error) {
	return Result{Outcome: Unknown, FailureReason: "This provider completes payments itself."}, nil
}
