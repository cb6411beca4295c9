package telemetry

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// Instruments are Perennial's own measurements. Attributes are words of small sets, never IDs: each combination is a
// time series for ever.
type Instruments struct {
	renewalLateness metric.Float64Histogram
	httpDuration    metric.Float64Histogram
	providerCall    metric.Float64Histogram
	payments        metric.Int64Counter
	findings        metric.Int64Counter
	reviews         metric.Int64Counter
	refusals        metric.Int64Counter
	silences        metric.Int64Counter
	absent          metric.Int64Counter
	unrated         metric.Int64Counter

	answered sync.Map // metric.MeasurementOption by answered
	webhooks webhookInstruments
}

// Kinds of findings of the reconciler.
var findingKinds = []string{"started", "signalled", "late", "stuck", "overlooked", "unanswered"}

// NewInstruments creates them with any meter; tests and benchmarks may pass a no-op one.
func NewInstruments(m metric.Meter) (*Instruments, error) {
	var i Instruments
	var errs [10]error
	histogram := func(name, text string, buckets []float64) (metric.Float64Histogram, error) {
		return m.Float64Histogram(name, metric.WithDescription(text), metric.WithUnit("s"),
			metric.WithExplicitBucketBoundaries(buckets...))
	}
	i.renewalLateness, errs[0] = histogram("perennial_renewal_lateness",
		"Time from the instant a renewal was due until its charge was sent. Test clocks are not counted.", latenessBuckets)
	i.httpDuration, errs[1] = histogram("perennial_http_request_duration",
		"Time an API request took, by route template.", latencyBuckets)
	i.providerCall, errs[2] = histogram("perennial_provider_call_duration",
		"Time one HTTP exchange with a payment provider took, by outcome.", latencyBuckets)
	i.payments, errs[3] = m.Int64Counter("perennial_payments",
		metric.WithDescription("Payment transactions that reached a final status."))
	i.findings, errs[4] = m.Int64Counter("perennial_reconciler_findings",
		metric.WithDescription(
			"What the reconciler found undone and saw to; a steady rate means a best-effort step is broken."))
	i.reviews, errs[5] = m.Int64Counter("perennial_payments_review",
		metric.WithDescription("Payments that were left to a person: what became of the money is not certain."))
	i.refusals, errs[6] = m.Int64Counter("perennial_provider_refusals",
		metric.WithDescription("Requests that a payment provider refused because of our credentials (401, 403)."))
	i.silences, errs[7] = m.Int64Counter("perennial_provider_silences",
		metric.WithDescription(
			"Exchanges with a payment provider that brought no answer: it was not reached, or took too long, or answered 5xx."))
	i.absent, errs[8] = m.Int64Counter("perennial_rows_absent",
		metric.WithDescription("Workflows that ended because the database does not have their row: a restore has lost it."))
	i.unrated, errs[9] = m.Int64Counter("perennial_usage_unrated",
		metric.WithDescription("Attempts to rate the usage of an invoice that failed, by code; each is repeated."))
	err := errors.Join(append(errs[:], i.webhooks.make(m))...)
	if err == nil {
		i.zero(context.Background())
	}
	return &i, err
}

// zero makes the counters of faults exist before the first fault: an alert cannot see the step from absent to one.
func (i *Instruments) zero(ctx context.Context) {
	for _, kind := range findingKinds {
		i.ReconcilerFindings(ctx, kind, 0)
	}
	i.reviews.Add(ctx, 0, with("provider", "stripe"))
	i.refusals.Add(ctx, 0, with("provider", "stripe"))
	i.silences.Add(ctx, 0, with("provider", "stripe"))
	i.unrated.Add(ctx, 0, with("code", "internal"))
	for _, kind := range []string{"subscription", "payment", "test_clock", "erasure"} {
		i.absent.Add(ctx, 0, with("kind", kind))
	}
	i.webhooks.disabled.Add(ctx, 0)
}

// RenewalLateness records chargedAt − dueAt of a renewal in real time; mode is test or live.
func (i *Instruments) RenewalLateness(ctx context.Context, late time.Duration, mode string) {
	i.renewalLateness.Record(ctx, max(0, late.Seconds()), with("mode", mode))
}

// HTTPRequest records one API request; route is the template, never the path.
func (i *Instruments) HTTPRequest(ctx context.Context, took time.Duration, method, route string, status int) {
	of := answered{method, route, status}
	attributes, known := i.answered.Load(of)
	if !known { // sorted and hashed once: there are as many as time series
		attributes, _ = i.answered.LoadOrStore(of, metric.WithAttributeSet(attribute.NewSet(
			attribute.String("method", method), attribute.String("route", route), attribute.Int("status", status))))
	}
	i.httpDuration.Record(ctx, took.Seconds(), attributes.(metric.MeasurementOption))
}

// answered are the attributes of a request.
type answered struct {
	method, route string
	status        int
}

// ProviderCall records one exchange with a provider; operation is charge, lookup, refund, …
func (i *Instruments) ProviderCall(ctx context.Context, took time.Duration, provider, operation, outcome string) {
	i.providerCall.Record(ctx, took.Seconds(), with("provider", provider, "operation", operation, "outcome", outcome))
}

// Payment counts a transaction that became final; kind is charge or refund.
func (i *Instruments) Payment(ctx context.Context, provider, kind, status string) {
	i.payments.Add(ctx, 1, with("provider", provider, "type", kind, "status", status))
}

// ReconcilerFindings counts n cases of one kind.
func (i *Instruments) ReconcilerFindings(ctx context.Context, kind string, n int) {
	i.findings.Add(ctx, int64(n), with("finding", kind))
}

// PaymentReview counts a payment that was left to a person.
func (i *Instruments) PaymentReview(ctx context.Context, provider string) {
	i.reviews.Add(ctx, 1, with("provider", provider))
}

// ProviderRefusal counts a request that a provider refused because of our credentials.
func (i *Instruments) ProviderRefusal(ctx context.Context, provider string) {
	i.refusals.Add(ctx, 1, with("provider", provider))
}

// ProviderSilence counts an exchange with a payment provider that brought no answer.
func (i *Instruments) ProviderSilence(ctx context.Context, provider string) {
	i.silences.Add(ctx, 1, with("provider", provider))
}

// RowAbsent counts a workflow that ended because its row is absent;
// kind is subscription, payment, test_clock or erasure.
func (i *Instruments) RowAbsent(ctx context.Context, kind string) {
	i.absent.Add(ctx, 1, with("kind", kind))
}

// UsageUnrated counts an attempt to rate usage that failed; code is of its fault.
func (i *Instruments) UsageUnrated(ctx context.Context, code string) {
	i.unrated.Add(ctx, 1, with("code", code))
}

// with takes keys and values in turn.
func with(pairs ...string) metric.MeasurementOption {
	attributes := make([]attribute.KeyValue, 0, len(pairs)/2)
	for n := 0; n+1 < len(pairs); n += 2 {
		attributes = append(attributes, attribute.String(pairs[n], pairs[n+1]))
	}
	return metric.WithAttributes(attributes...)
}
