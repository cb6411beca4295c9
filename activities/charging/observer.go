package charging

import (
	"context"
	"time"

	"perennial/activities/execution"
	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/money"
	"perennial/billing/payment"
	"perennial/billing/recording"
	"perennial/providers"
)

// Observer receives the outcomes of payments, for metrics.
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

// ReviewNeeded has the facts with which a person begins a review: whose payment it is, and why it is uncertain.
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
func (a *Payments) tell(ctx context.Context, env string, x exchange, said response, took time.Duration) {
	outcome, doing, reply := said.shown(), operation(x.Transaction, x.Move), said.reply()
	if said.err == nil && said.Outcome == providers.Succeeded && !x.Transaction.Confirms(said.Amount, said.Currency) {
		outcome = "mismatch" // another amount than asked for: no success of ours
	}
	a.Observer.ProviderCalled(ctx, x.provider.Name(), doing, outcome, took)
	if reply.RefusesCredentials() {
		a.Observer.CredentialsRefused(ctx, CredentialsRefused{
			EnvironmentID: env, TransactionID: x.Transaction.ID, ProviderConfigID: x.AccountID,
			Provider: x.provider.Name(), Reason: said.FailureReason, HTTPStatus: said.HTTPStatus,
		})
	}
	if said.err == nil && reply.Silent() {
		a.Observer.ProviderSilent(ctx, ProviderSilent{
			EnvironmentID: env, TransactionID: x.Transaction.ID, ProviderConfigID: x.AccountID, Provider: x.provider.Name(),
			Operation: doing, Reason: said.FailureReason, HTTPStatus: said.HTTPStatus,
		})
	}
}

// tellRecorded reports what an answer led to.
func (a *Payments) tellRecorded(ctx context.Context, r entry) {
	t := r.led.Transaction
	if r.led.NeedsReview != "" {
		a.Observer.ReviewNeeded(ctx, ReviewNeeded{
			EnvironmentID: r.env, TransactionID: t.ID, SubscriptionID: t.SubscriptionID, Provider: t.Provider,
			ProviderRef: t.ProviderRef, Reason: r.led.NeedsReview, Amount: t.Amount, Currency: t.Currency, Key: r.x.sentKey(),
		})
	}
	if r.x.Transaction.Status == payment.Pending && t.Status != payment.Pending {
		a.Observer.PaymentEnded(ctx, measured(r.led, r.x.config.Mode, !r.state.ClockNow.IsZero()))
	}
}

// Ended is the measurement of a final transaction.
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

// measured returns the measurement of a transaction. The lateness of a retry counts from the time it was scheduled for.
// A payment that a command asked for is not late, and a test clock's time cannot be compared with the time of sending,
// which is real.
func measured(r recording.Recorded, mode string, onClock bool) Ended {
	t := r.Transaction
	out := Ended{Provider: t.Provider, Mode: mode, Type: string(t.Type), Status: string(t.Status)}
	period := r.Reason == invoice.Create || r.Reason == invoice.Cycle
	if period && t.Type == payment.Charge && t.Trigger == collection.Automatic && !t.FirstSentAt.IsZero() && !onClock {
		out.Renewal, out.Lateness = true, t.FirstSentAt.Sub(t.DueAt)
	}
	return out
}
