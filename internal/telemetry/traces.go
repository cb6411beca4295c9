package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace/noop"
	"go.temporal.io/sdk/client"
	temporalotel "go.temporal.io/sdk/contrib/opentelemetry"
	"go.temporal.io/sdk/interceptor"
	"go.uber.org/zap"
)

// propagator carries a trace across HTTP and Temporal. Baggage is left out: it would let a caller put text of his
// choice into workflow histories.
var propagator = propagation.TraceContext{}

// startTraces exports to the collector, or makes tracing cost nothing where there is none.
func (t *Telemetry) startTraces(ctx context.Context, endpoint string, origin *resource.Resource) error {
	if endpoint == "" {
		t.tracer = noop.NewTracerProvider().Tracer(scope)
		return nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(endpoint+"/v1/traces"))
	if err != nil {
		return err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(origin))
	t.closers = append(t.closers, provider.Shutdown)
	t.tracer, t.traced = provider.Tracer(scope), true
	return nil
}

// TemporalInterceptors carry traces from the API through workflows to activities. Without a collector there are none:
// they would put a header into every history for nothing.
func (t *Telemetry) TemporalInterceptors() ([]interceptor.ClientInterceptor, error) {
	if !t.traced {
		return nil, nil
	}
	tracing, err := temporalotel.NewTracingInterceptor(temporalotel.TracerOptions{
		Tracer: t.tracer, TextMapPropagator: propagator, DisableBaggage: true,
		AllowInvalidParentSpans: true, // a year-old workflow may carry a header of an older release
	})
	if err != nil {
		return nil, err
	}
	return []interceptor.ClientInterceptor{tracing}, nil
}

// TemporalMetricsHandler adds the Temporal SDK's own metrics (temporal_…) to ours.
func (t *Telemetry) TemporalMetricsHandler() client.MetricsHandler {
	return temporalotel.NewMetricsHandler(temporalotel.MetricsHandlerOptions{
		Meter:                t.meters.Meter("temporal-sdk-go"),
		UseMonotonicCounters: true,
		OnError: func(err error) { // its default is to panic
			t.Logger.Error("dropped a Temporal metric", zap.Error(err))
		},
	})
}
