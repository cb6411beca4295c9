// Package telemetry owns logs, metrics and traces of a process. It does not own what is recorded: the other rooms call
// its logger and its instruments.
//
// Nothing here may hold personal data or secrets: IDs, names of fields, amounts and durations only. Request and answer
// bodies, headers and query strings are never logged.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	semconv "go.opentelemetry.io/otel/semconv/v1.37.0"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
)

// scope names our instruments and spans among those of libraries.
const scope = "perennial"

// Options of a process.
type Options struct {
	Service      string           // perennial-api, perennial-worker, …
	BuildID      string           // the build that runs
	LogLevel     string           // debug, info, warn or error
	LogOutput    io.Writer        // where log lines go; usually os.Stderr
	OTLPEndpoint string           // base URL of a collector; empty: no traces
	Now          func() time.Time // the real clock
}

// Telemetry has a process's logger and instruments. Close it last.
type Telemetry struct {
	Logger      *zap.Logger
	Instruments *Instruments

	now      func() time.Time
	tracer   trace.Tracer
	traced   bool
	meters   *metric.MeterProvider
	registry *prometheus.Registry
	closers  []func(context.Context) error
}

// Start sets a process's telemetry up. It registers nothing globally, so that tests can have several.
func Start(ctx context.Context, o Options) (*Telemetry, error) {
	logger, err := NewLogger(o.LogLevel, o.LogOutput)
	if err != nil {
		return nil, err
	}
	t := &Telemetry{
		Logger: logger.With(zap.String("service", o.Service), zap.String("build", o.BuildID)),
		now:    o.Now,
	}
	origin := resource.NewSchemaless(semconv.ServiceName(o.Service), semconv.ServiceVersion(o.BuildID))
	if err := t.startMetrics(origin); err != nil {
		return nil, fmt.Errorf("metrics: %w", err)
	}
	if err := t.startTraces(ctx, o.OTLPEndpoint, origin); err != nil {
		return nil, errors.Join(fmt.Errorf("traces: %w", err), t.Close(ctx))
	}
	return t, nil
}

// Close sends buffered data.
func (t *Telemetry) Close(ctx context.Context) error {
	var errs []error
	for _, closer := range t.closers {
		errs = append(errs, closer(ctx))
	}
	_ = t.Logger.Sync() // terminals cannot be synced, and say so with an error
	return errors.Join(errs...)
}

// Metrics serves /metrics in Prometheus's format.
func (t *Telemetry) Metrics() http.Handler { return metricsHandler(t.registry) }
