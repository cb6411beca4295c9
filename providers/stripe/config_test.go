package stripe

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers/wire"
)

func TestNew_ChecksConfiguration(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config Config
		code   string
	}{
		"no key":           {Config{}, "provider_credentials_invalid"},
		"publishable key":  {Config{SecretKey: "pk_test_1"}, "provider_credentials_invalid"},
		"something else":   {Config{SecretKey: "hunter2"}, "provider_credentials_invalid"},
		"newline":          {Config{SecretKey: "sk_test_1\n"}, "provider_credentials_invalid"},
		"live key in test": {Config{SecretKey: "sk_live_1"}, "provider_environment_mismatch"},
		"test key in live": {Config{SecretKey: "rk_test_1", Live: true}, "provider_environment_mismatch"},
		"live over http": {Config{SecretKey: "sk_live_1", Live: true, BaseURL: "http://127.0.0.1:1"},
			"provider_config_invalid"},
		"no URL": {Config{SecretKey: "sk_test_1", BaseURL: "api.stripe.com"}, "provider_config_invalid"},
		"password in the URL": {
			Config{SecretKey: "sk_test_1", BaseURL: "https://a:b@api.stripe.com"}, "provider_config_invalid",
		},
		"negative timeout": {Config{SecretKey: "sk_test_1", Timeout: -1}, "provider_config_invalid"},
	} {
		_, err := New(tc.config)
		require.Equal(t, tc.code, fault.From(err).Code, name)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	s, err := New(Config{SecretKey: "rk_live_1", Live: true})
	require.NoError(t, err)
	require.Equal(t, "stripe", s.Name())
	require.Equal(t, 20*time.Hour, s.Capabilities().ReplayWindow)
	require.Equal(t, "https://api.stripe.com", s.baseURL)
	require.Equal(t, 30*time.Second, s.timeout)
}

func TestConfig_HidesSecrets(t *testing.T) {
	t.Parallel()
	const key, hook = "sk_test_verysecret", "whsec_verysecret"
	c := Config{SecretKey: key, WebhookSecret: hook}
	s, err := New(c)
	require.NoError(t, err)
	for _, v := range []any{c, &c, s, *s, s.secretKey, struct{ K wire.Secret }{s.secretKey},
		struct{ k wire.Secret }{s.secretKey}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			require.NotContains(t, fmt.Sprintf(verb, v), "verysecret")
		}
		if out, err := json.Marshal(v); err == nil {
			require.NotContains(t, string(out), "verysecret")
		}
	}
	require.Equal(t, "[redacted]", s.secretKey.String())
	require.Equal(t, "[empty]", wire.Seal("").String())
}
