package adyen

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/providers"
	"perennial/providers/wire"
)

func TestOpen_ChecksCredentials(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		field, value string
		live         bool
		code         string
	}{
		"no key":                   {FieldAPIKey, "", false, "provider_credentials_invalid"},
		"key with a newline":       {FieldAPIKey, "hunter2\n", false, "provider_credentials_invalid"},
		"no account":               {FieldMerchantAccount, "", false, "provider_credentials_invalid"},
		"account with a colon":     {FieldMerchantAccount, "a:b", false, "provider_credentials_invalid"},
		"HMAC key not hex":         {FieldWebhookSecret, "hunter2", false, "provider_credentials_invalid"},
		"HMAC key cut off":         {FieldWebhookSecret, "DFB1", false, "provider_credentials_invalid"},
		"test with a prefix":       {FieldLiveEndpointPrefix, "abc", false, "provider_environment_mismatch"},
		"live without a prefix":    {FieldLiveEndpointPrefix, "", true, "provider_credentials_invalid"},
		"prefix with a dot":        {FieldLiveEndpointPrefix, "evil.example/", true, "provider_credentials_invalid"},
		"prefix with a slash":      {FieldLiveEndpointPrefix, "evil/", true, "provider_credentials_invalid"},
		"prefix with an at":        {FieldLiveEndpointPrefix, "user@evil", true, "provider_credentials_invalid"},
		"prefix with a question":   {FieldLiveEndpointPrefix, "evil?x", true, "provider_credentials_invalid"},
		"prefix with a hash":       {FieldLiveEndpointPrefix, "evil#x", true, "provider_credentials_invalid"},
		"prefix with a newline":    {FieldLiveEndpointPrefix, "evil\n", true, "provider_credentials_invalid"},
		"prefix with a hyphen":     {FieldLiveEndpointPrefix, "-evil", true, "provider_credentials_invalid"},
		"prefix of another script": {FieldLiveEndpointPrefix, "аcme", true, "provider_credentials_invalid"},
		"prefix too long":          {FieldLiveEndpointPrefix, strings.Repeat("a", 50), true, "provider_credentials_invalid"},
	} {
		c := credentials()
		c[tc.field] = tc.value
		_, err := Factory{}.Open(providers.Account{Live: tc.live, Credentials: c})
		f := fault.From(err)
		require.Equal(t, [3]any{fault.Invalid, tc.code, tc.field}, [3]any{f.Kind, f.Code, f.Param}, name)
		require.NotContains(t, err.Error(), "hunter2")
		require.NotContains(t, err.Error(), "evil")
	}
}

func TestOpen_ChecksConfiguration(t *testing.T) {
	t.Parallel()
	live := credentials()
	live[FieldLiveEndpointPrefix] = "1797a841fbb37ca7-AcmeInc"
	for name, account := range map[string]providers.Account{
		"no scheme":        {BaseURL: "127.0.0.1:1"},
		"password":         {BaseURL: "https://a:b@simulator"},
		"query":            {BaseURL: "https://simulator/?x"},
		"live over http":   {BaseURL: "http://127.0.0.1:1", Live: true, Credentials: live},
		"negative timeout": {Timeout: -1},
		"negative window":  {ReplayWindow: -1},
	} {
		if account.Credentials == nil {
			account.Credentials = credentials()
		}
		_, err := Factory{}.Open(account)
		require.Equal(t, "provider_config_invalid", fault.From(err).Code, name)
	}
}

func TestOpen_Addresses(t *testing.T) {
	t.Parallel()
	live := credentials()
	live[FieldLiveEndpointPrefix] = "1797a841fbb37ca7-AcmeInc"
	for want, account := range map[string]providers.Account{
		"https://checkout-test.adyen.com/v71":                                           {},
		"https://1797a841fbb37ca7-AcmeInc-checkout-live.adyenpayments.com/checkout/v71": {Live: true, Credentials: live},
		"http://127.0.0.1:1/v71":                                                        {BaseURL: "http://127.0.0.1:1/"},
	} {
		require.Equal(t, want, open(t, account).baseURL)
	}
}

func TestOpen_Defaults(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	require.Equal(t, "adyen", a.Name())
	require.Equal(t, 30*time.Second, a.timeout)
	require.Equal(t, providers.Capabilities{
		ReplayWindow: 5 * 24 * time.Hour, Cancel: true, AsksPayer: true, Completes: true,
	}, a.Capabilities())
	require.Equal(t, time.Hour, open(t, providers.Account{ReplayWindow: time.Hour}).Capabilities().ReplayWindow)
	withoutHook := credentials()
	delete(withoutHook, FieldWebhookSecret)
	open(t, providers.Account{Credentials: withoutHook})
}

func TestFactory_Fields(t *testing.T) {
	t.Parallel()
	secrets := map[string]bool{}
	for _, f := range (Factory{}).Fields() {
		secrets[f.Name] = f.Secret
		require.Equal(t, f.Name == FieldLiveEndpointPrefix, f.LiveOnly)
	}
	require.Equal(t, map[string]bool{
		FieldAPIKey: true, FieldMerchantAccount: false, FieldLiveEndpointPrefix: false, FieldWebhookSecret: true,
	}, secrets)
	require.Subset(t, Factory{}.CallbackTypes(), []string{"AUTHORISATION", "REFUND", "REFUND_FAILED", "CHARGEBACK"})
	for event := range steps {
		require.Contains(t, Factory{}.CallbackTypes(), event)
	}
	require.True(t, Factory{}.Supports(providers.Method{Type: "card"}).Accepted)
	require.True(t, Factory{}.Supports(providers.Method{Type: "card", PaymentMethodToken: "M5N7TQ4TG5PFWR50"}).Accepted)
	for _, foreign := range []string{"pm_card_visa", "card_1", "pmd_9"} {
		support := Factory{}.Supports(providers.Method{Type: "card", PaymentMethodToken: foreign})
		require.False(t, support.Accepted, foreign)
		require.NotEmpty(t, support.Reason)
	}
	require.NotEmpty(t, Factory{}.Supports(providers.Method{Type: "mobile_money_mtn"}).Reason)
}

func TestAdyen_HidesSecrets(t *testing.T) {
	t.Parallel()
	a := open(t, providers.Account{})
	for _, v := range []any{a, *a, a.apiKey, a.hmacKey, struct{ k wire.Secret }{a.apiKey}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
			require.NotContains(t, fmt.Sprintf(verb, v), "canary")
			require.NotContains(t, fmt.Sprintf(verb, v), testHMACKey)
		}
		if out, err := json.Marshal(v); err == nil {
			require.NotContains(t, string(out), "canary")
		}
	}
}
