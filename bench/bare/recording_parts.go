package bare

import (
	"context"
	"time"

	"perennial/activities/charging"
	"perennial/activities/execution"
	"perennial/activities/rating"
)

// nobody implements the observers without effect. Effects after a commit have no dispatcher here: only transactions are
// recorded.
type nobody struct{}

func (nobody) ProviderCalled(context.Context, string, string, string, time.Duration) {}
func (nobody) PaymentEnded(context.Context, charging.Ended)                          {}

// ReviewNeeded implements charging.Observer.
func (nobody) ReviewNeeded(context.Context, charging.ReviewNeeded) {}

// CredentialsRefused implements charging.Observer.
func (nobody) CredentialsRefused(context.Context, charging.CredentialsRefused) {}

// ProviderSilent implements charging.Observer.
func (nobody) ProviderSilent(context.Context, charging.ProviderSilent) {}

// UsageUnrated implements rating.Observer.
func (nobody) UsageUnrated(context.Context, rating.Unrated) {}

// RowAbsent implements charging.Observer.
func (nobody) RowAbsent(context.Context, execution.RowAbsent) {}

type nowhere struct{}

func (nowhere) Write(p []byte) (int, error) { return len(p), nil }
