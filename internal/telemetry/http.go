package telemetry

import (
	"context"
	"net/http"
	"time"

	"github.com/gorilla/mux"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"perennial/internal/id"
)

// Request has the facts about one API request. Handlers fill it in as they learn them; the access log and the metrics
// read it at the end.
type Request struct {
	ID            string // req_…, also in the answer's X-Request-Id header
	Route         string // the template; empty where no route matched
	EnvironmentID string
	KeyID         string // key_…, never the key
	Code          string // of the problem, where the answer is one
	Shed          bool   // refused because there were too many
}

type requestKey struct{}

// RequestFrom returns the request's record; outside a request an unconnected one, so that callers need not ask.
func RequestFrom(ctx context.Context) *Request {
	if r, ok := ctx.Value(requestKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// Middleware goes around the whole API: it gives each request an ID and a span, and writes one line when it is over.
func (t *Telemetry) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := t.now()
		record := &Request{ID: id.New(id.Request, began)}
		ctx := propagator.Extract(r.Context(), propagation.HeaderCarrier(r.Header))
		ctx, span := t.tracer.Start(ctx, r.Method, trace.WithSpanKind(trace.SpanKindServer))
		defer span.End()
		ctx = context.WithValue(With(ctx, RequestID(record.ID)), requestKey{}, record)
		w.Header().Set("X-Request-Id", record.ID)
		answer := &recorder{ResponseWriter: w}
		completed := false
		defer func() {
			if !completed && answer.status == 0 {
				answer.status = http.StatusInternalServerError // a panic is on its way to the server, which cuts the line
			}
			t.finish(ctx, r, record, answer.code(), t.now().Sub(began), span)
		}()
		next.ServeHTTP(answer, r.WithContext(ctx))
		completed = true
	})
}

// NameRoute is for mux's Use: only there the route is known.
func NameRoute(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if route := mux.CurrentRoute(r); route != nil {
			if template, err := route.GetPathTemplate(); err == nil {
				RequestFrom(r.Context()).Route = template
			}
		}
		next.ServeHTTP(w, r)
	})
}

// finish writes no path: an unmatched one is whatever a stranger typed.
func (t *Telemetry) finish(
	ctx context.Context, r *http.Request, record *Request, status int, took time.Duration, span trace.Span,
) {
	method := knownMethod(r.Method)
	t.Instruments.HTTPRequest(ctx, took, method, record.Route, status)
	failed := status >= http.StatusInternalServerError && !record.Shed
	if span.IsRecording() {
		span.SetName(method + " " + record.Route)
		span.SetAttributes(
			attribute.Int("http.response.status_code", status),
			attribute.String("perennial.request_id", record.ID),
			attribute.String("perennial.environment_id", record.EnvironmentID))
		if failed {
			span.SetStatus(codes.Error, record.Code)
		}
	}
	level := zap.InfoLevel
	if failed {
		level = zap.ErrorLevel
	}
	line := t.Logger.Check(level, "request")
	if line == nil { // not logged: most requests of a process that logs warnings only
		return
	}
	fields := append(tracedFields(ctx),
		zap.String("method", method), zap.String("route", record.Route), zap.Int("status", status),
		zap.Float64("durationMs", float64(took.Microseconds())/1000),
	)
	for _, known := range []zap.Field{
		Environment(record.EnvironmentID), zap.String("keyId", record.KeyID), zap.String("code", record.Code),
	} {
		if known.String != "" {
			fields = append(fields, known)
		}
	}
	line.Write(fields...)
}

// knownMethod keeps invented methods out of the metrics.
func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions:
		return method
	default:
		return "other"
	}
}

// recorder remembers the status. Unwrap lets http.ResponseController reach flushing and deadlines.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK { // 1xx answers may come before the real one
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(p []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(p)
}

func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// code is the status that net/http sends for a handler that wrote nothing.
func (r *recorder) code() int {
	if r.status == 0 {
		return http.StatusOK
	}
	return r.status
}
