package telemetry

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	otelprometheus "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
)

// latencyBuckets, in seconds, suit calls over a network.
var latencyBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60}

// latenessBuckets, in seconds, reach from a timer's own imprecision to a day without a worker.
var latenessBuckets = []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 6 * 3600, 24 * 3600}

func (t *Telemetry) startMetrics(origin *resource.Resource) error {
	t.registry = prometheus.NewRegistry()
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	exporter, err := otelprometheus.New(otelprometheus.WithRegisterer(t.registry), otelprometheus.WithoutScopeInfo())
	if err != nil {
		return err
	}
	t.meters = metric.NewMeterProvider(metric.WithReader(exporter), metric.WithResource(origin),
		// The Temporal SDK records seconds without saying which buckets;
		// OpenTelemetry's default ones are for milliseconds.
		metric.WithView(metric.NewView(
			metric.Instrument{Name: "temporal_*", Kind: metric.InstrumentKindHistogram},
			metric.Stream{Aggregation: metric.AggregationExplicitBucketHistogram{Boundaries: latencyBuckets}},
		)))
	t.closers = append(t.closers, t.meters.Shutdown)
	t.Instruments, err = NewInstruments(t.meters.Meter(scope))
	return err
}

func metricsHandler(registry *prometheus.Registry) http.Handler {
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}
