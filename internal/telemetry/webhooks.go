package telemetry

import (
	"cmp"
	"context"
	"errors"
	"time"

	"go.opentelemetry.io/otel/metric"
)

// webhookInstruments measure deliveries.
type webhookInstruments struct {
	attempts metric.Float64Histogram
	first    metric.Float64Histogram
	disabled metric.Int64Counter
}

func (w *webhookInstruments) make(m metric.Meter) error {
	var errs [3]error
	histogram := func(name, text string) (metric.Float64Histogram, error) {
		return m.Float64Histogram(name, metric.WithDescription(text), metric.WithUnit("s"),
			metric.WithExplicitBucketBoundaries(latencyBuckets...))
	}
	w.attempts, errs[0] = histogram("perennial_webhook_attempt_duration",
		"Time one attempt to deliver a webhook took, by outcome: delivered, or the class of its failure.")
	w.first, errs[1] = histogram("perennial_webhook_first_attempt_delay",
		"Time from an event until its first attempt at an endpoint ended. Receivers that are slow are in it.")
	w.disabled, errs[2] = m.Int64Counter("perennial_webhook_endpoints_disabled",
		metric.WithDescription("Webhook endpoints that were disabled because they failed for days or answered 410."))
	return errors.Join(errs[:]...)
}

// WebhookAttempt records one attempt; class is empty where the receiver took the delivery. mode is test or live.
func (i *Instruments) WebhookAttempt(ctx context.Context, mode, class string, took time.Duration) {
	i.webhooks.attempts.Record(ctx, took.Seconds(), with("mode", mode, "outcome", cmp.Or(class, "delivered")))
}

// WebhookFirstAttempt records how long after its event a first attempt ended.
func (i *Instruments) WebhookFirstAttempt(ctx context.Context, mode string, waited time.Duration) {
	i.webhooks.first.Record(ctx, max(0, waited.Seconds()), with("mode", mode))
}

// WebhookEndpointDisabled counts an endpoint that was disabled because of its receiver's answers.
func (i *Instruments) WebhookEndpointDisabled(ctx context.Context) { i.webhooks.disabled.Add(ctx, 1) }
