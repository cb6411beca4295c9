package story

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// playAt plays a story of payers at a fake, which is the API and the simulator, without resting.
func playAt(t *testing.T, fake http.Handler, play func(context.Context, Config) error) (string, error) {
	t.Helper()
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	var out bytes.Buffer
	now := time.Now()
	err := play(t.Context(), Config{
		API: server.URL, Key: "sk_test_story", Simulator: server.URL, Out: &out, Patience: 3 * time.Second,
		Now: func() time.Time {
			now = now.Add(time.Second)
			return now
		},
		rest: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	})
	return out.String(), err
}
