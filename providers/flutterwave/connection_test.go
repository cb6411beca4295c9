package flutterwave

import (
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

func TestConnection(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		code   string
	}{
		"fine":         {200, `{"status":"success","data":[]}`, ""},
		"unauthorized": {401, failed("10401", "UNAUTHORIZED", ""), "provider_credentials_rejected"},
		"forbidden":    {403, failed("10403", "FORBIDDEN", ""), "provider_credentials_rejected"},
		"limited":      {429, ``, "provider_unavailable"},
		"down":         {503, ``, "provider_unavailable"},
		"a portal":     {200, `<html>`, "provider_unavailable"},
	} {
		f := against(t, func(w http.ResponseWriter, r *http.Request) {
			expect(t, "GET /customers?page=1", r.Method+" "+r.URL.RequestURI())
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		err := f.TestConnection(t.Context())
		require.Equal(t, c.code == "", err == nil, name)
		if err != nil {
			require.Equal(t, c.code, fault.From(err).Code, name)
		}
	}
}

func TestConnection_WithoutToken(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		code   string
	}{
		"wrong secret": {401, `{"error":"invalid_client"}`, "provider_credentials_rejected"},
		"down":         {503, ``, "provider_unavailable"},
	} {
		f, connections := withoutToken(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		})
		err := f.TestConnection(t.Context())
		require.Equal(t, c.code, fault.From(err).Code, name)
		require.NotContains(t, err.Error(), canary)
		require.Zero(t, connections.Load())
	}
}
