package activities

import (
	"context"
	"time"

	"perennial/billing/collection"
	"perennial/billing/invoice"
	"perennial/billing/lifecycle"
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
	// Renewal: an automatic charge for a period of a subscription in real time; Lateness is then how long after it became
	// due it was sent. How long the provider took to decide is not in it.
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
