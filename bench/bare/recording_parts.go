package bare

import (
	"context"
	"errors"
	"time"

	"perennial/activities"
	"perennial/api"
	"perennial/contract"
)

// idle is an api.Engine that does nothing: only the transactions are recorded.
type idle struct{}

var _ api.Engine = idle{}

var errNotRecorded = errors.New("bench: not recorded")

func (idle) StartSubscription(context.Context, contract.SubscriptionStart) error { return nil }

func (idle) Command(context.Context, contract.SubscriptionStart, contract.Command) (contract.CommandResult, error) {
	return contract.CommandResult{}, errNotRecorded
}
func (idle) Wake(context.Context, contract.Ref) error                    { return errNotRecorded }
func (idle) Check(context.Context, contract.Owner, contract.Check) error { return errNotRecorded }
func (idle) StartPayment(context.Context, contract.PaymentInput) error   { return errNotRecorded }
func (idle) Advance(context.Context, contract.Ref, contract.Advance) (contract.AdvanceResult, error) {
	return contract.AdvanceResult{}, errNotRecorded
}

// nobody starts and observes nothing.
type nobody struct{}

func (nobody) StartPayment(context.Context, contract.PaymentInput) error             { return nil }
func (nobody) ProviderCalled(context.Context, string, string, string, time.Duration) {}
func (nobody) PaymentEnded(context.Context, activities.Ended)                        {}

// ReviewNeeded implements activities.Observer.
func (nobody) ReviewNeeded(context.Context, activities.ReviewNeeded) {}

// CredentialsRefused implements activities.Observer.
func (nobody) CredentialsRefused(context.Context, activities.CredentialsRefused) {}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
