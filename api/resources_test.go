package api

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestServer_PrefixesReturnTheSame(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	sub := b.newSubscription(t, b.test)
	for _, path := range []string{"/subscriptions/" + sub.ID, "/subscriptions?limit=1", "/apps", "/plans", "/events"} {
		api, v1 := b.ask(t, b.test, "GET", "/api"+path, nil), b.ask(t, b.test, "GET", "/v1"+path, nil)
		require.Equal(t, 200, api.Status, "%s", api.Body)
		require.JSONEq(t, string(api.Body), string(v1.Body))
	}
}
