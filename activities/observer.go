package activities

import (
	"context"
	"time"

	"perennial/billing/payment"
)

// Observer is told how payments go, for metrics.
type Observer interface {
	// ProviderCalled reports one exchange with a provider.
	ProviderCalled(ctx context.Context, provider, operation, outcome string, took time.Duration)
	// PaymentEnded reports a transaction that became final.
	PaymentEnded(ctx context.Context, ended Ended)
}

// Ended is what a final transaction tells the measurements.
type Ended struct {
	Provider string
	Mode     string // test or live
	Type     string // charge or refund
	Status   string
	// Renewal: the charge of a subscription in real time; Lateness is then how long after it became due it ended.
	Renewal  bool
	Lateness time.Duration
}

// measured is what the measurements are told.
func (r *recording) measured(mode string) Ended {
	renewal := r.txn.SubscriptionID != "" && r.txn.Type == payment.Charge && r.b.TestClock == nil
	return Ended{
		Provider: r.txn.Provider, Mode: mode, Type: string(r.txn.Type), Status: string(r.txn.Status),
		Renewal: renewal, Lateness: r.real.Sub(r.txn.DueAt),
	}
}
