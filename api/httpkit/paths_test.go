package httpkit

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"
	"github.com/stretchr/testify/require"

	"perennial/db"
	"perennial/internal/telemetry"
)

// templates are as ours are, and some that are harder to tell apart.
var templates = []string{
	"/plans", "/plans/{id}", "/plans/{id}/versions", "/usage", "/usage/batch", "/usage/{id}", "/usage/{id}/batch",
	"/usage/batch/{line}", "/subscriptions/{id}/coupons/{couponId}", "/subscriptions/preview", "/subscriptions/{id}",
}

// paths finds the same operation as mux, with the same variables.
func TestPaths_AgreeWithMux(t *testing.T) {
	t.Parallel()
	var found paths
	router := mux.NewRouter().SkipClean(true)
	for _, template := range templates {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			found.add(method, template, nil)
			router.Path(template).Methods(method).Name(method + template)
		}
	}
	for path, want := range map[string]string{
		"/plans": "/plans", "/plans/": "", "/plans/a": "/plans/{id}", "/plans//versions": "",
		"/plans/a/versions":  "/plans/{id}/versions",
		"/plans/a/versions/": "", "/plans/a/b": "", "//plans": "", "/": "", "/nothing": "", "/usage/a": "/usage/{id}",
		"/usage/a/batch": "/usage/{id}/batch", "/usage/batch/a": "/usage/batch/{line}", "/usage/a/b": "",
		"/plans/%00":                 "/plans/{id}",
		"/subscriptions/a/coupons/b": "/subscriptions/{id}/coupons/{couponId}", "/subscriptions/a/coupons": "",
		"/subscriptions/preview/coupons/b": "/subscriptions/{id}/coupons/{couponId}", "/plans/a\nb": "/plans/{id}",
		"/plans/\xff": "/plans/{id}",
	} {
		e, vars := found.find(http.MethodPost, path[1:], 0)
		if want == "" {
			require.Nil(t, e, path)
		} else {
			require.Equal(t, want, e.template, path)
		}
		var match mux.RouteMatch
		request := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
		request.URL.Path = path
		known := router.Match(request, &match) && match.MatchErr == nil
		require.Equal(t, want != "", known, path)
		if known {
			require.Equal(t, match.Vars, vars, path)
			require.Equal(t, http.MethodPost+want, match.Route.GetName())
		}
	}
	e, _ := found.find(http.MethodDelete, "plans/a", 0)
	require.Nil(t, e)
}

// A path without variables belongs to its own operations, for every method; the other routes match as before.
func TestDispatch_LeavesTheRestToTheRouter(t *testing.T) {
	t.Parallel()
	k := New(Deps{Store: &db.Store{}, Telemetry: &telemetry.Telemetry{}}, Config{Prefixes: []string{"/api", "/v1"}})
	said := func(what string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Said", what+" "+mux.Vars(r)["id"])
		}
	}
	k.serve(http.MethodGet, "/subscriptions/{id}", said("get"))
	k.serve(http.MethodPost, "/subscriptions/preview", said("preview"))
	k.router.Path("/healthz").Methods(http.MethodGet).HandlerFunc(said("health"))
	for _, c := range []struct {
		method, path, said string
		status             int
	}{
		{http.MethodGet, "/api/subscriptions/a", "get a", 200}, {http.MethodGet, "/v1/subscriptions/b", "get b", 200},
		{http.MethodPost, "/v1/subscriptions/preview", "preview ", 200}, {http.MethodGet, "/healthz", "health ", 200},
		{http.MethodGet, "/v1/subscriptions/preview", "", 405}, {http.MethodPost, "/v1/subscriptions/a", "", 405},
		{http.MethodGet, "/v2/subscriptions/a", "", 404}, {http.MethodGet, "/v1/subscriptions/a/", "", 404},
	} {
		w := httptest.NewRecorder()
		k.dispatch(w, httptest.NewRequest(c.method, c.path, http.NoBody))
		require.Equal(t, c.status, w.Code, "%s %s", c.method, c.path)
		require.Equal(t, c.said, w.Header().Get("X-Said"), "%s %s", c.method, c.path)
	}
}
