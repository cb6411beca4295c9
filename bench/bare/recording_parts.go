package bare

import (
	"context"
	"time"

	"perennial/activities"
	"perennial/activities/execution"
)

// nobody observes nothing. What follows a commit has no dispatcher here: only the transactions are recorded.
type nobody struct{}

func (nobody) ProviderCalled(context.Context, string, string, string, time.Duration) {}
func (nobody) PaymentEnded(context.Context, activities.Ended)                        {}

// ReviewNeeded implements activities.Observer.
func (nobody) ReviewNeeded(context.Context, activities.ReviewNeeded) {}

// CredentialsRefused implements activities.Observer.
func (nobody) CredentialsRefused(context.Context, activities.CredentialsRefused) {}

// ProviderSilent implements activities.Observer.
func (nobody) ProviderSilent(context.Context, activities.ProviderSilent) {}

// RowAbsent implements activities.Observer.
func (nobody) RowAbsent(context.Context, execution.RowAbsent) {}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
