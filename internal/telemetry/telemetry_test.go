package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gorilla/mux"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/log"
	"go.uber.org/zap"
)

// bundle is a process's telemetry with a clock that moves 2 ms at each look.
func bundle(t *testing.T, endpoint string) (*Telemetry, *bytes.Buffer) {
	t.Helper()
	var out bytes.Buffer
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	tel, err := Start(t.Context(), Options{
		Service: "perennial-test", BuildID: "b1", LogLevel: "info", LogOutput: &out, OTLPEndpoint: endpoint,
		Now: func() time.Time { at = at.Add(2 * time.Millisecond); return at },
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tel.Close(context.WithoutCancel(t.Context()))) })
	return tel, &out
}

func lines(t *testing.T, out *bytes.Buffer) (all []map[string]any) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
		var one map[string]any
		require.NoError(t, json.Unmarshal([]byte(line), &one), line)
		all = append(all, one)
	}
	return all
}

func router(handler http.HandlerFunc) *mux.Router {
	r := mux.NewRouter()
	r.Use(NameRoute)
	r.HandleFunc("/api/subscriptions/{id}", handler)
	return r
}

func metricsText(t *testing.T, tel *Telemetry) string {
	t.Helper()
	w := httptest.NewRecorder()
	tel.Metrics().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
	require.Equal(t, http.StatusOK, w.Code)
	return w.Body.String()
}

func TestLog_OneLinePerRequest(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	h := tel.Middleware(router(func(w http.ResponseWriter, r *http.Request) {
		record := RequestFrom(r.Context())
		record.EnvironmentID, record.KeyID, record.Code = "env_1", "key_1", "subscription_canceled"
		w.WriteHeader(http.StatusConflict)
	}))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/subscriptions/sub_1", http.NoBody))

	got := lines(t, out)
	require.Len(t, got, 1)
	require.Equal(t, map[string]any{
		"time": got[0]["time"], "level": "info", "message": "request", "service": "perennial-test", "build": "b1",
		"method": "POST", "route": "/api/subscriptions/{id}", "status": 409.0, "durationMs": 2.0,
		"requestId": w.Header().Get("X-Request-Id"), "environmentId": "env_1", "keyId": "key_1",
		"code": "subscription_canceled",
	}, got[0])
	require.Contains(t, metricsText(t, tel),
		`perennial_http_request_duration_seconds_count{method="POST",route="/api/subscriptions/{id}",status="409"} 1`)
}

func TestLog_HasNoSecrets(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	h := tel.Middleware(router(func(w http.ResponseWriter, r *http.Request) {
		For(r.Context(), tel.Logger).Info("inside", zap.String("field", "paymentMethod"))
		_, _ = io.Copy(w, r.Body)
	}))
	r := httptest.NewRequest(http.MethodPost, "/api/subscriptions/sub_1?token=tok_hunter2",
		strings.NewReader(`{"card":"4242424242424242"}`))
	r.Header.Set("Authorization", "Bearer sk_live_hunter2")
	r.Header.Set("Cookie", "session=hunter2")
	r.Header.Set("Idempotency-Key", "hunter2")
	h.ServeHTTP(httptest.NewRecorder(), r)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("HUNTER2", "/sk_live_hunter2", http.NoBody))

	require.Len(t, lines(t, out), 3)
	for _, where := range []string{out.String(), metricsText(t, tel)} {
		require.NotContains(t, strings.ToLower(where), "hunter2")
		require.NotContains(t, where, "4242424242")
		require.NotContains(t, where, "Bearer")
	}
}

func TestLog_PanicIsError(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	h := tel.Middleware(router(func(http.ResponseWriter, *http.Request) { panic("boom") }))
	require.Panics(t, func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/subscriptions/sub_1", http.NoBody))
	})
	got := lines(t, out)
	require.Len(t, got, 1)
	require.Equal(t, "error", got[0]["level"])
	require.Equal(t, 500.0, got[0]["status"])
}

func TestLog_FieldsFollowContext(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	parent := With(t.Context(), RequestID("req_1"))
	left, right := With(parent, WorkflowID("sub_1")), With(parent, Environment("env_1"))
	For(left, tel.Logger).Info("left")
	For(right, tel.Logger).Info("right")
	got := lines(t, out)
	require.Equal(t, "req_1", got[0]["requestId"])
	require.Equal(t, "sub_1", got[0]["workflowId"])
	require.Equal(t, "env_1", got[1]["environmentId"])
	require.NotContains(t, got[1], "workflowId")
}

func TestLog_TemporalSDK(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	logger := tel.TemporalLogger()
	log.With(logger, "WorkflowID", "sub_1").Warn("slow", "attempt", 3, "odd")
	logger.Debug("below the level")
	got := lines(t, out)
	require.Len(t, got, 1)
	require.Equal(t, "warn", got[0]["level"])
	require.Equal(t, "sub_1", got[0]["workflowId"])
	require.Equal(t, 3.0, got[0]["attempt"])
	require.Equal(t, "odd", got[0]["unpaired"])
}

func TestMetrics_AreServed(t *testing.T) {
	t.Parallel()
	tel, _ := bundle(t, "")
	i := tel.Instruments
	i.RenewalLateness(t.Context(), 700*time.Millisecond, "live")
	i.RenewalLateness(t.Context(), -time.Second, "live")
	i.ProviderCall(t.Context(), 30*time.Millisecond, "stripe", "charge", "succeeded")
	i.Payment(t.Context(), "stripe", "charge", "success")
	i.ReconcilerFindings(t.Context(), "lost_workflow", 2)
	tel.TemporalMetricsHandler().WithTags(
		map[string]string{"task_queue": "billing"}).Timer("temporal_request_latency").Record(3 * time.Millisecond)
	text := metricsText(t, tel)
	for _, want := range []string{
		`perennial_renewal_lateness_seconds_bucket{mode="live",le="0.5"} 1`,
		`perennial_renewal_lateness_seconds_bucket{mode="live",le="1"} 2`,
		`perennial_renewal_lateness_seconds_sum{mode="live"} 0.7`,
		`perennial_provider_call_duration_seconds_count{operation="charge",outcome="succeeded",provider="stripe"} 1`,
		`perennial_payments_total{provider="stripe",status="success",type="charge"} 1`,
		`perennial_reconciler_findings_total{finding="lost_workflow"} 2`,
		`le="0.005"} 1`,
		`go_goroutines`,
	} {
		require.Contains(t, text, want)
	}
}

func TestTraces_ReachCollector(t *testing.T) {
	t.Parallel()
	var received atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			received.Add(1)
		}
		w.WriteHeader(http.StatusOK)
	}))
	t.Cleanup(collector.Close)
	tel, out := bundle(t, collector.URL)
	interceptors, err := tel.TemporalInterceptors()
	require.NoError(t, err)
	require.Len(t, interceptors, 1)
	h := tel.Middleware(router(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	r := httptest.NewRequest(http.MethodGet, "/api/subscriptions/sub_1", http.NoBody)
	r.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	h.ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, "0af7651916cd43dd8448eb211c80319c", lines(t, out)[0]["traceId"], "the caller's trace goes on")
	require.NoError(t, tel.Close(t.Context()))
	require.Equal(t, int64(1), received.Load())
	tel.closers = nil
}

func TestTraces_OffWithoutCollector(t *testing.T) {
	t.Parallel()
	tel, _ := bundle(t, "")
	interceptors, err := tel.TemporalInterceptors()
	require.NoError(t, err)
	require.Empty(t, interceptors)
	_, err = NewLogger("loud", io.Discard)
	require.Error(t, err)
}

func TestFaults_HaveAMetricFromTheStart(t *testing.T) {
	t.Parallel()
	tel, _ := bundle(t, "")
	text := metricsText(t, tel)
	for _, want := range []string{
		`perennial_payments_review_total{provider="stripe"} 0`,
		`perennial_provider_refusals_total{provider="stripe"} 0`,
		`perennial_reconciler_findings_total{finding="stuck"} 0`,
		`perennial_rows_absent_total{kind="subscription"} 0`, `perennial_rows_absent_total{kind="erasure"} 0`,
		`perennial_usage_unrated_total{code="internal"} 0`,
	} {
		require.Contains(t, text, want)
	}
	tel.Instruments.PaymentReview(t.Context(), "stripe")
	tel.Instruments.ProviderRefusal(t.Context(), "stripe")
	tel.Instruments.RowAbsent(t.Context(), "subscription")
	tel.Instruments.UsageUnrated(t.Context(), "amount_too_large")
	text = metricsText(t, tel)
	require.Contains(t, text, `perennial_payments_review_total{provider="stripe"} 1`)
	require.Contains(t, text, `perennial_usage_unrated_total{code="amount_too_large"} 1`)
	require.Contains(t, text, `perennial_provider_refusals_total{provider="stripe"} 1`)
	require.Contains(t, text, `perennial_rows_absent_total{kind="subscription"} 1`)
}

func TestWatch_ReadsAtEachScrape(t *testing.T) {
	t.Parallel()
	tel, _ := bundle(t, "")
	values := map[string]float64{"perennial_test_age_seconds": 0}
	require.NoError(t, tel.Watch([]Gauge{{Name: "perennial_test_age_seconds", Text: "age"}},
		func(context.Context) map[string]float64 {
			return values
		}))
	require.Contains(t, metricsText(t, tel), "\nperennial_test_age_seconds 0\n")
	values["perennial_test_age_seconds"] = 61
	require.Contains(t, metricsText(t, tel), "\nperennial_test_age_seconds 61\n")
	delete(values, "perennial_test_age_seconds")
	require.NotContains(t, metricsText(t, tel), "\nperennial_test_age_seconds", "not known is not zero")
}

// Each failed attempt has one line, the interceptor's: an alert on errors must not fire for attempts that are repeated.
func TestTemporalLogger_FailedAttemptIsNoError(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	tel.TemporalLogger().Error("Activity error.", "Attempt", 1)
	require.Empty(t, out.String())
	tel.TemporalLogger().Error("Workflow panic")
	require.Equal(t, "error", lines(t, out)[0]["level"])
}

func TestLog_DurationsHaveTheirUnit(t *testing.T) {
	t.Parallel()
	tel, out := bundle(t, "")
	tel.Logger.Info("late", zap.Duration("oldest", 66029*time.Millisecond))
	require.Equal(t, "1m6.029s", lines(t, out)[0]["oldest"])
}
