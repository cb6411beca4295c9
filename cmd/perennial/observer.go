package main

import (
	"context"
	"time"

	"perennial/internal/telemetry"
)

// observer turns what activities report into measurements.
type observer struct{ instruments *telemetry.Instruments }

// ProviderCalled implements activities.Observer.
func (o observer) ProviderCalled(ctx context.Context, provider, operation, outcome string, took time.Duration) {
	o.instruments.ProviderCall(ctx, took, provider, operation, outcome)
}

// PaymentEnded implements activities.Observer.
func (o observer) PaymentEnded(ctx context.Context, provider, status string, lateness time.Duration) {
	o.instruments.Payment(ctx, provider, kindOf(status), status)
	if lateness >= 0 { // negative: not measured
		o.instruments.RenewalLateness(ctx, lateness, "")
	}
}

// kindOf tells a refund by the one status that only refunds reach.
func kindOf(status string) string {
	if status == "refunded" {
		return "refund"
	}
	return "charge"
}
