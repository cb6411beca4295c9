package telemetry

import (
	"context"
	"fmt"
	"io"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.temporal.io/sdk/log"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// NewLogger writes one JSON object a line: time in RFC 3339 with nanoseconds, UTC.
func NewLogger(level string, w io.Writer) (*zap.Logger, error) {
	least, err := zapcore.ParseLevel(level)
	if err != nil {
		return nil, fmt.Errorf("log level: %w", err)
	}
	encoder := zapcore.NewJSONEncoder(zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", NameKey: "logger", MessageKey: "message", StacktraceKey: "stack",
		EncodeLevel: zapcore.LowercaseLevelEncoder,
		EncodeTime: func(at time.Time, e zapcore.PrimitiveArrayEncoder) {
			e.AppendString(at.UTC().Format(time.RFC3339Nano))
		},
		EncodeDuration: func(d time.Duration, e zapcore.PrimitiveArrayEncoder) { // 1m6s: a number would need its unit
			e.AppendString(d.Round(time.Millisecond).String())
		},
	})
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), least)), nil
}

type fieldsKey struct{}

// With adds fields to every line that is logged through For with this context or one derived from it.
func With(ctx context.Context, fields ...zap.Field) context.Context {
	before := fieldsOf(ctx)
	all := make([]zap.Field, 0, len(before)+len(fields)) // a copy: siblings must not see each other's fields
	return context.WithValue(ctx, fieldsKey{}, append(append(all, before...), fields...))
}

// For returns the logger with the context's fields and, inside a trace, its ID.
func For(ctx context.Context, logger *zap.Logger) *zap.Logger {
	return logger.With(tracedFields(ctx)...)
}

// tracedFields returns the fields that For adds; appending to them makes a copy.
func tracedFields(ctx context.Context) []zap.Field {
	fields := fieldsOf(ctx)
	fields = fields[:len(fields):len(fields)]
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		fields = append(fields, zap.String("traceId", span.TraceID().String()))
	}
	return fields
}

func fieldsOf(ctx context.Context) []zap.Field {
	fields, _ := ctx.Value(fieldsKey{}).([]zap.Field)
	return fields
}

// The fields that lines of several rooms share, so that a search for one finds all of them.

// RequestID of an API request (req_…).
func RequestID(id string) zap.Field { return zap.String("requestId", id) }

// WorkflowID is the resource's ID (sub_…, txn_…).
func WorkflowID(id string) zap.Field { return zap.String("workflowId", id) }

// Environment is env_….
func Environment(id string) zap.Field { return zap.String("environmentId", id) }

// TemporalLogger lets the Temporal SDK, workflows and activities log here.
func (t *Telemetry) TemporalLogger() log.Logger { return NewTemporalLogger(t.Logger) }

// NewTemporalLogger adapts a logger for the Temporal SDK. The SDK names a workflow "WorkflowID"; our lines use
// "workflowId" for the same thing, so the adapter renames it.
func NewTemporalLogger(logger *zap.Logger) log.Logger { return temporalLogger{logger} }

type temporalLogger struct{ zap *zap.Logger }

var _ log.WithLogger = temporalLogger{}

func (l temporalLogger) Debug(msg string, pairs ...any) { l.zap.Debug(msg, fieldsFrom(pairs)...) }
func (l temporalLogger) Info(msg string, pairs ...any)  { l.zap.Info(msg, fieldsFrom(pairs)...) }
func (l temporalLogger) Warn(msg string, pairs ...any)  { l.zap.Warn(msg, fieldsFrom(pairs)...) }
func (l temporalLogger) Error(msg string, pairs ...any) {
	if msg == attemptFailed { // the worker's interceptor logs each failed attempt, with its code, as a warning
		l.zap.Debug(msg, fieldsFrom(pairs)...)
		return
	}
	l.zap.Error(msg, fieldsFrom(pairs)...)
}

// attemptFailed is the SDK's message about every failed attempt of an activity, most of which are repeated with
// success.
const attemptFailed = "Activity error."

func (l temporalLogger) With(pairs ...any) log.Logger {
	return temporalLogger{l.zap.With(fieldsFrom(pairs)...)}
}

func fieldsFrom(pairs []any) []zap.Field {
	fields := make([]zap.Field, 0, (len(pairs)+1)/2)
	for i := 0; i < len(pairs); i += 2 {
		if i+1 == len(pairs) {
			return append(fields, zap.Any("unpaired", pairs[i]))
		}
		key := fmt.Sprint(pairs[i])
		if key == "WorkflowID" {
			key = "workflowId"
		}
		fields = append(fields, zap.Any(key, pairs[i+1]))
	}
	return fields
}
