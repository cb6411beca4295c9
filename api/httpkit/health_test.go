package httpkit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/internal/telemetry"
)

func serve(t *testing.T, handler http.HandlerFunc) (int, Problem) {
	t.Helper()
	w := httptest.NewRecorder()
	handler(w, httptest.NewRequest(http.MethodGet, "/", nil))
	var p Problem
	if w.Code != http.StatusOK {
		require.NoError(t, json.Unmarshal(w.Body.Bytes(), &p))
	}
	return w.Code, p
}

func TestHealth_SaysWhatIsMissingAndNotWhy(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger, err := telemetry.NewLogger("info", &log)
	require.NoError(t, err)
	broken := errors.New("password of 10.0.0.1 is wrong")
	h := NewHealth(logger,
		Requirement{Check: func(context.Context) error { return nil }, Absent: ErrDatabaseAway},
		Requirement{Check: func(context.Context) error {
			return broken
		}, Absent: fault.New(fault.Unavailable, "worker_away", "no worker")},
	)
	code, p := serve(t, h.Ready)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "worker_away", p.Code)
	require.NotContains(t, p.Detail, "password")
	require.Contains(t, log.String(), "password of 10.0.0.1 is wrong")
	serve(t, h.Ready)
	require.Equal(t, 1, strings.Count(log.String(), "not ready"), "not at each question")

	broken = nil
	code, _ = serve(t, h.Ready)
	require.Equal(t, http.StatusOK, code)
	require.Contains(t, log.String(), "ready again")
	broken = errors.New("away once more")
	serve(t, h.Ready)
	require.Equal(t, 2, strings.Count(log.String(), "not ready"))
	h.Drain()
	code, p = serve(t, h.Ready)
	require.Equal(t, http.StatusServiceUnavailable, code)
	require.Equal(t, "draining", p.Code)
}

func TestHealth_LivesWithoutOthers(t *testing.T) {
	t.Parallel()
	h := NewHealth(nil, Requirement{Check: func(context.Context) error {
		return errors.New("away")
	}, Absent: ErrDatabaseAway})
	h.Drain()
	code, _ := serve(t, h.Live)
	require.Equal(t, http.StatusOK, code)
}
