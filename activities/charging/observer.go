package charging

import (
	"context"
	"time"

	"perennial/activities/execution"
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/providers"
)

// Observer is told how payments go, for metrics.
type Observer interface {
	execution.Observer

	// ProviderCalled reports one exchange with a provider.
	ProviderCalled(ctx context.Context, provider, operation, outcome string, took time.Duration)
	// PaymentEnded reports a transaction that became final.
	PaymentEnded(ctx context.Context, ended Ended)
	// ReviewNeeded reports a transaction that was left to a person.
	ReviewNeeded(ctx context.Context, r ReviewNeeded)
	// CredentialsRefused reports that a provider refused a request because of our credentials (401, 403).
	CredentialsRefused(ctx context.Context, r CredentialsRefused)
	// ProviderSilent reports an exchange that brought no answer: none came, or one that says nothing (5xx).
	ProviderSilent(ctx context.Context, r ProviderSilent)
}

// ProviderSilent names the account whose provider gave no answer.
type ProviderSilent struct {
	EnvironmentID, TransactionID, ProviderConfigID, Provider, Operation, Reason string
	HTTPStatus                                                                  int // 0: no answer came at all
}

// ReviewNeeded is what a person must know to begin: whose payment it is, and why it is uncertain.
type ReviewNeeded struct {
	EnvironmentID, TransactionID, SubscriptionID, Provider, ProviderRef, Reason string

	Amount   money.Minor
	Currency money.Currency
	Key      string // that was sent last; empty: none was
}

// CredentialsRefused names the account whose credentials do not serve.
type CredentialsRefused struct {
	EnvironmentID, TransactionID, ProviderConfigID, Provider, Reason string
	HTTPStatus                                                       int
}

// tell reports the end of one exchange to the measurements.
func (a *Payments) tell(
	ctx context.Context, env string, x exchange, result providers.Result, err error, took time.Duration,
) {
	outcome := outcomeOf(result, err)
	if err == nil && result.Outcome == providers.Succeeded && !x.Transaction.Confirms(result.Amount, result.Currency) {
		outcome = "mismatch" // another amount than asked for: no success of ours
	}
	a.Observer.ProviderCalled(ctx, x.provider.Name(), operation(x.Transaction, x.Move), outcome, took)
	if replyOf(result).RefusesCredentials() {
		a.Observer.CredentialsRefused(ctx, CredentialsRefused{
			EnvironmentID: env, TransactionID: x.Transaction.ID, ProviderConfigID: x.config.ID,
			Provider: x.provider.Name(), Reason: result.FailureReason, HTTPStatus: result.HTTPStatus,
		})
	}
	if err == nil && replyOf(result).Silent() {
		a.Observer.ProviderSilent(ctx, ProviderSilent{
			EnvironmentID: env, TransactionID: x.Transaction.ID, ProviderConfigID: x.config.ID, Provider: x.provider.Name(),
			Operation: operation(x.Transaction, x.Move), Reason: result.FailureReason, HTTPStatus: result.HTTPStatus,
		})
	}
}

// reviewNeeded is what the measurements are told of a transaction that was left to a person.
func reviewNeeded(env string, x exchange, r lifecycle.Recorded) ReviewNeeded {
	t := r.Transaction
	return ReviewNeeded{
		EnvironmentID: env, TransactionID: t.ID, SubscriptionID: t.SubscriptionID, Provider: t.Provider,
		ProviderRef: t.ProviderRef, Reason: r.NeedsReview, Amount: t.Amount, Currency: t.Currency, Key: x.sentKey(),
	}
}

// Ended is what a final transaction tells the measurements.
type Ended struct {
	Provider string
	Mode     string // test or live
	Type     string // charge or refund
	Status   string
	// Renewal: an automatic charge for a period of a subscription in real time; Lateness is then how long after it
	// became due it was sent. How long the provider took to decide is not in it.
	Renewal  bool
	Lateness time.Duration
}

// measured is what the measurements are told. Of a retry, lateness counts from the instant it was scheduled for. What a
// command asked for is not late, and a test clock's time cannot be compared with the time of sending, which is real.
func measured(r lifecycle.Recorded, mode string, onClock bool) Ended {
	t := r.Transaction
	out := Ended{Provider: t.Provider, Mode: mode, Type: string(t.Type), Status: string(t.Status)}
	period := r.Reason == invoice.Create || r.Reason == invoice.Cycle
	if period && t.Type == payment.Charge && t.Trigger == collection.Automatic && !t.FirstSentAt.IsZero() && !onClock {
		out.Renewal, out.Lateness = true, t.FirstSentAt.Sub(t.DueAt)
	}
	return out
}
