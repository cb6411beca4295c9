package serve

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/zap"

	"perennial/api/httpkit"
)

func readiness(h *httpkit.Health) (int, string) {
	w := httptest.NewRecorder()
	operations(http.NotFoundHandler(), h).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return w.Code, w.Body.String()
}

func TestOperations_ServesHealth(t *testing.T) {
	t.Parallel()
	h := httpkit.NewHealth(zap.NewNop(), httpkit.Requirement{Check: func(context.Context) error { return nil }})
	code, body := readiness(h)
	require.Equal(t, http.StatusOK, code)
	require.JSONEq(t, `{"status":"ok"}`, body)
	h.Drain()
	code, body = readiness(h)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Contains(t, body, `"code":"draining"`)
}

func fetch(ctx context.Context, url string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

// An open request is finished, and one that takes too long is cut and reported.
func TestListener_FinishesOpenRequests(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	l, err := listenOn(t.Context(), "127.0.0.1:0", http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- struct{}{}
		<-release
	}))
	require.NoError(t, err)
	answered := make(chan error, 1)
	go func() { answered <- fetch(context.WithoutCancel(t.Context()), l.url()) }()
	<-arrived
	stopped := make(chan error, 1)
	go func() { stopped <- l.stop(t.Context(), time.Minute) }()
	close(release)
	require.NoError(t, <-answered)
	require.NoError(t, <-stopped)
}

func TestListener_CutsSlowRequests(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	l, err := listenOn(t.Context(), "127.0.0.1:0", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	require.NoError(t, err)
	go func() { _ = fetch(context.WithoutCancel(t.Context()), l.url()) }()
	<-arrived
	require.ErrorContains(t, l.stop(t.Context(), time.Millisecond), "were cut")
}
