package api

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoute_UnknownPathOrMethodIsAProblem(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, path := range []string{
		"/", "/api", "/api/", "/api/nothing", "/api//plans", "/v2/plans", "/api/plans/", "/api/plans/a/b",
	} {
		problem(t, 404, "route_not_found", "", b.ask(t, b.test, "GET", path, nil))
	}
	for path, allow := range map[string]string{
		"/api/plans": "GET, HEAD, POST, OPTIONS", "/v1/customers/x": "GET, HEAD, PATCH, DELETE", "/healthz": "GET, HEAD",
		"/callbacks/x": "POST", "/api/subscriptions/preview": "POST", "/api/subscriptions/x": "GET, HEAD, PATCH",
		"/v1/usage/batch": "POST",
	} {
		got := b.ask(t, b.test, "PUT", path, nil)
		problem(t, 405, "method_not_allowed", "", got)
		require.Equal(t, allow, got.Header.Get("Allow"))
	}
	problem(t, 405, "method_not_allowed", "", b.ask(t, b.test, "GET", "/api/subscriptions/preview", nil))
	for _, odd := range []string{
		"sub_%00", "sub_%ff", "sub_" + strings.Repeat("a", 26) + "%27", "%2e%2e", strings.Repeat("x", 65),
	} {
		got := b.ask(t, b.test, "GET", "/api/subscriptions/"+odd, nil)
		require.Contains(t, []int{404, 422}, got.Status, "%s: %s", odd, got.Body)
	}
}
