package stripe

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
)

func TestConnection_ExplainsFailure(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		status int
		body   string
		code   string
		kind   fault.Kind
	}{
		"good":         {200, `{"object":"balance","livemode":false}`, "", ""},
		"wrong mode":   {200, `{"object":"balance","livemode":true}`, "provider_environment_mismatch", fault.Invalid},
		"unknown key":  {401, `{"error":{"type":"invalid_request_error"}}`, "provider_credentials_rejected", fault.Invalid},
		"weak key":     {403, `{"error":{"type":"invalid_request_error"}}`, "provider_credentials_rejected", fault.Invalid},
		"rate limited": {429, `{}`, "provider_unavailable", fault.Unavailable},
		"down":         {503, ``, "provider_unavailable", fault.Unavailable},
		"no balance":   {200, `<html>`, "provider_unavailable", fault.Unavailable},
	} {
		err := against(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet || r.URL.Path != "/v1/balance" {
				t.Errorf("unexpected %s %s", r.Method, r.URL.Path)
			}
			w.WriteHeader(tc.status)
			_, _ = w.Write([]byte(tc.body))
		}).TestConnection(t.Context())
		if tc.code == "" {
			require.NoError(t, err, name)
			continue
		}
		require.Equal(t, tc.code, fault.From(err).Code, name)
		require.Equal(t, tc.kind, fault.From(err).Kind, name)
	}
}
