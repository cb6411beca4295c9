package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/providers/wire"
)

func TestCountRequests_OfItsContext(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	client := wire.Client(nil)
	get := func(ctx context.Context) {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
		require.NoError(t, err)
		answer, err := client.Do(r)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
	}
	one, first := wire.CountRequests(t.Context())
	other, second := wire.CountRequests(t.Context())
	for range 3 {
		get(one)
	}
	get(other)
	get(t.Context())
	require.Equal(t, [2]int64{3, 1}, [2]int64{first.Load(), second.Load()})
}
