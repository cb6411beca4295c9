package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/activities"
	"perennial/contract"
	"perennial/internal/telemetry"
)

// observer turns what activities report into measurements.
type observer struct{ telemetry *telemetry.Telemetry }

// ProviderCalled implements activities.Observer.
func (o observer) ProviderCalled(ctx context.Context, provider, operation, outcome string, took time.Duration) {
	o.telemetry.Instruments.ProviderCall(ctx, took, provider, operation, outcome)
}

// PaymentEnded implements activities.Observer.
func (o observer) PaymentEnded(ctx context.Context, p activities.Ended) {
	o.telemetry.Instruments.Payment(ctx, p.Provider, p.Type, p.Status)
	if p.Renewal {
		o.telemetry.Instruments.RenewalLateness(ctx, p.Lateness, p.Mode)
	}
}

// reconciled counts what a pass of the reconciler mended; nothing found is nothing said.
func (o observer) reconciled(found contract.ReconcileResult) {
	ctx := context.Background() // a measurement belongs to no request
	for kind, n := range map[string]int{"started": found.Started, "signalled": found.Signalled, "late": found.Late} {
		if n > 0 {
			o.telemetry.Instruments.ReconcilerFindings(ctx, kind, n)
			o.telemetry.Logger.Info("reconciled", zap.String("finding", kind), zap.Int("count", n))
		}
	}
	if n := found.Unanswered; n > 0 {
		o.telemetry.Instruments.ReconcilerFindings(ctx, "unanswered", n)
		o.telemetry.Logger.Warn("a provider sent word of closed payments and answered no question about them for a week: look them up there",
			zap.Int("count", n))
	}
	if n := found.Unclaimed; n > 0 { // no finding: a provider's account that is shared with other systems sends them every day
		o.telemetry.Logger.Info("callbacks were given up: for a day nothing of ours was known by their reference", zap.Int("count", n))
	}
}
