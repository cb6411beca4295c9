package api

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/apikey"
)

// over sends a request through a real server and connection: what HEAD and preflights look like is net/http's to
// decide.
func over(t *testing.T, server *httptest.Server, method, path string, headers ...string) response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, http.NoBody)
	require.NoError(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	res, err := server.Client().Do(r)
	require.NoError(t, err)
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	return response{Status: res.StatusCode, Header: res.Header, Body: body}
}

func (b *bench) listen(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(b.Handler())
	t.Cleanup(server.Close)
	return server
}

func TestCORS_OnlyOperationsOfPublishableKeys(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	server := b.listen(t)
	rows := b.fill(t, b.test)
	bearer := []string{"Authorization", "Bearer " + b.newKey(t, b.test, db.NewAPIKey{
		Kind: string(apikey.Publishable), Scopes: []string{"access"},
	})}
	page := []string{"Origin", "https://shop.example"}
	opened := 0
	eachRoute(t, b, func(method, template string) {
		short := resourcePath(template)
		path := rows.in(template)
		asks := over(t, server, http.MethodOptions, path, append(slices.Clone(page),
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", "authorization")...)
		got := over(t, server, method, path, append(slices.Clone(page), bearer...)...)
		if !guarded[method+" "+short].publishable {
			require.NotContains(t, asks.Header.Get("Access-Control-Allow-Methods"), method, path)
			require.Empty(t, got.Header.Get("Access-Control-Allow-Origin"), "%s %s", method, path)
			return
		}
		opened++
		require.Equal(t, http.StatusNoContent, asks.Status, path)
		require.Empty(t, asks.Body)
		require.Equal(t, "*", asks.Header.Get("Access-Control-Allow-Origin"))
		require.Contains(t, asks.Header.Get("Access-Control-Allow-Methods"), method)
		require.Contains(t, strings.ToLower(asks.Header.Get("Access-Control-Allow-Headers")), "authorization")

		refused := over(t, server, method, path, page...)
		problem(t, 401, "api_key_missing", "", refused)
		wrong := over(t, server, method, path+"?page=2", append(slices.Clone(page), bearer...)...)
		problem(t, 422, "parameter_unknown", "page", wrong)
		require.Equal(t, 200, got.Status, "%s", got.Body)
		for _, answer := range []response{got, refused, wrong, asks} {
			require.Equal(t, "*", answer.Header.Get("Access-Control-Allow-Origin"), path)
			require.Equal(t, "X-Request-Id, Retry-After, RateLimit, RateLimit-Policy",
				answer.Header.Get("Access-Control-Expose-Headers"))
			require.Empty(t, answer.Header.Get("Access-Control-Allow-Credentials"))
			require.NotEmpty(t, answer.Header.Get("X-Request-Id"))
		}
	})
	require.Equal(t, 6, opened)
}

func TestHead_IsGetWithoutBody(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	server := b.listen(t)
	rows := b.fill(t, b.test)
	paths := []string{"/docs", "/openapi.json", "/healthz", "/readyz"}
	eachRoute(t, b, func(method, template string) {
		if method == http.MethodGet {
			paths = append(paths, rows.in(template))
		}
	})
	for _, path := range append(paths, "/api/subscriptions/sub_x", "/nothing") {
		get := over(t, server, http.MethodGet, path, "Authorization", "Bearer "+b.test.key)
		head := over(t, server, http.MethodHead, path, "Authorization", "Bearer "+b.test.key)
		require.Equal(t, get.Status, head.Status, path)
		require.Equal(t, get.Header.Get("Content-Type"), head.Header.Get("Content-Type"), path)
		require.NotEmpty(t, get.Body, path)
		require.Empty(t, head.Body, path)
	}
	got := over(t, server, http.MethodHead, "/callbacks/x")
	require.Equal(t, http.StatusMethodNotAllowed, got.Status)
	require.Equal(t, "POST", got.Header.Get("Allow"))
	require.Contains(t, b.log.String(), `"method":"HEAD"`, "what was asked is what is logged")
}
