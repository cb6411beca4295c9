package pawapay

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
)

func TestOpen_ChecksCredentials(t *testing.T) {
	t.Parallel()
	account := func(spoil func(*providers.Account)) providers.Account {
		a := providers.Account{Credentials: map[string]string{FieldAPIToken: token}}
		spoil(&a)
		return a
	}
	const invalid, misset = "provider_credentials_invalid", "provider_config_invalid"
	url := func(u string, live bool) func(*providers.Account) {
		return func(a *providers.Account) { a.Credentials[FieldAPIURL], a.Live = u, live }
	}
	for name, c := range map[string]struct {
		spoil func(*providers.Account)
		code  string // empty: it opens
		base  string
	}{
		"test":         {func(*providers.Account) {}, "", SandboxURL},
		"live":         {func(a *providers.Account) { a.Live = true }, "", LiveURL},
		"sandbox":      {url(SandboxURL, false), "", SandboxURL},
		"slash":        {url(SandboxURL+"/", false), "", SandboxURL},
		"capitals":     {url("https://API.sandbox.pawaPay.io", false), "", SandboxURL},
		"production":   {url(LiveURL, true), "", LiveURL},
		"wrong mode":   {url(LiveURL, false), "provider_environment_mismatch", ""},
		"wrong mode 2": {url(SandboxURL, true), "provider_environment_mismatch", ""},
		"plain http":   {url("http://api.sandbox.pawapay.io", false), invalid, ""},
		"path":         {url(SandboxURL+"/v1", false), invalid, ""},
		"query":        {url(SandboxURL+"?x=1", false), invalid, ""},
		"user":         {url("https://x@api.sandbox.pawapay.io", false), invalid, ""},
		"port":         {url(SandboxURL+":8443", false), invalid, ""},
		"suffix":       {url(SandboxURL+".example.com", false), invalid, ""},
		"inside":       {url("https://169.254.169.254", false), invalid, ""},
		"localhost":    {url("https://localhost", false), invalid, ""},
		"no URL":       {url("api.sandbox.pawapay.io", false), invalid, ""},
		"allowed": {func(a *providers.Account) {
			a.AllowedHosts = []string{"proxy.example.com:8443"}
			a.Credentials[FieldAPIURL] = "https://proxy.example.com:8443"
		}, "", "https://proxy.example.com:8443"},
		"override": {func(a *providers.Account) { a.BaseURL = "http://127.0.0.1:9/" }, "", "http://127.0.0.1:9"},
		"override, but the tenant's is foreign": {func(a *providers.Account) {
			a.BaseURL, a.Credentials[FieldAPIURL] = "http://127.0.0.1:9", "https://localhost"
		}, invalid, ""},
		"plain override of live": {func(a *providers.Account) {
			a.BaseURL, a.Live = "http://127.0.0.1:9", true
		}, misset, ""},
		"broken override":      {func(a *providers.Account) { a.BaseURL = "127.0.0.1:9" }, misset, ""},
		"no token":             {func(a *providers.Account) { a.Credentials[FieldAPIToken] = "" }, invalid, ""},
		"token with a newline": {func(a *providers.Account) { a.Credentials[FieldAPIToken] = "x\n" }, invalid, ""},
		"short secret":         {func(a *providers.Account) { a.Credentials[FieldWebhookSecret] = "short" }, invalid, ""},
		"secret with a slash": {func(a *providers.Account) {
			a.Credentials[FieldWebhookSecret] = "0123456789/0123456789"
		}, invalid, ""},
		"negative time-out": {func(a *providers.Account) { a.Timeout = -1 }, misset, ""},
	} {
		opened, err := Factory{}.Open(account(c.spoil))
		if c.code != "" {
			require.Equal(t, [2]any{fault.Invalid, c.code}, [2]any{fault.From(err).Kind, fault.From(err).Code}, name)
			require.NotContains(t, err.Error(), token, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, c.base, opened.(*PawaPay).baseURL, name)
	}
}

func TestSecrets_NeverPrinted(t *testing.T) {
	t.Parallel()
	c := Config{APIToken: token, WebhookSecret: pathTail}
	p, err := New(c)
	require.NoError(t, err)
	marshaled, err := json.Marshal(c)
	require.NoError(t, err)
	for _, text := range []string{
		fmt.Sprintf("%v %+v %#v %s", c, c, c, c), fmt.Sprintf("%v %+v %#v", p, p, p), string(marshaled),
	} {
		require.NotContains(t, text, token)
		require.NotContains(t, text, pathTail)
	}
}

func TestConnection_ExplainsFailure(t *testing.T) {
	t.Parallel()
	for answer, code := range map[string]string{
		activated("MTN_MOMO_RWA", "RWF", usual):                     "",
		`401 {"failureReason":{"failureCode":"NO_AUTHENTICATION"}}`: "provider_credentials_rejected",
		`403 {}`:     "provider_credentials_rejected",
		`429 {}`:     "provider_unavailable",
		`503 `:       "provider_unavailable",
		`200 <html>`: "provider_unavailable",
	} {
		p, _ := answering(t, map[string]string{conf: answer})
		err := p.TestConnection(t.Context())
		if code == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, code, fault.From(err).Code, answer)
		require.NotContains(t, err.Error(), token)
	}
}
