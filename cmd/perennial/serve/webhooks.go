package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/activities/delivery"
	rules "perennial/billing/delivery"
	"perennial/cmd/perennial/cli"
	"perennial/internal/telemetry"
	"perennial/service/gateway"
	"perennial/webhooks"
)

// deliveries wires the sending of webhooks, with a pool of its own.
func (s *Server) deliveries(ctx context.Context, p *cli.Process, watch observer) (*delivery.Deliveries, error) {
	store, err := s.openStore(ctx, p, "webhooks", s.config.Database.PoolWebhooks)
	if err != nil {
		return nil, err
	}
	c := s.config.Webhooks
	sender := webhooks.NewSender(webhooks.Options{Now: p.Now, Allow: webhooks.Allow(c.LocalReceivers)})
	s.closers = append(s.closers, sender.Close)
	return &delivery.Deliveries{
		Store: s.dispatching(p, store), Clock: p.Now, Sender: sender, Secrets: gateway.Secrets{Vault: s.vault},
		Observer: watch, Live: rules.Policy{Gaps: c.Retries, SpreadPercent: c.RetrySpread},
		Test: rules.Policy{Gaps: c.TestRetries, SpreadPercent: c.RetrySpread},
	}, nil
}

// AttemptEnded implements delivery.Observer.
func (o observer) AttemptEnded(ctx context.Context, mode, class string, took, waited time.Duration) {
	o.telemetry.Instruments.WebhookAttempt(ctx, mode, class, took)
	if waited >= 0 {
		o.telemetry.Instruments.WebhookFirstAttempt(ctx, mode, waited)
	}
}

// EndpointDisabled implements delivery.Observer.
func (o observer) EndpointDisabled(
	ctx context.Context, environmentID, endpointID string, reason rules.DisabledReason, failingSince time.Time,
) {
	o.telemetry.Instruments.WebhookEndpointDisabled(ctx)
	o.telemetry.Logger.Warn("a webhook endpoint was disabled: no attempt has succeeded for days (failing), or its "+
		"receiver answered 410 (gone); its owner can enable it again, and have what it missed delivered",
		telemetry.Environment(environmentID), zap.String("endpointId", endpointID), zap.String("reason", string(reason)),
		zap.Time("failingSince", failingSince))
}
