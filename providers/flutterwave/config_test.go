package flutterwave

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/billing/paymethod"
	"perennial/providers"
	"perennial/providers/wire"
)

func TestNew_ChecksConfiguration(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		config Config
		code   string
	}{
		"no client": {Config{ClientSecret: "hunter2"}, "provider_credentials_invalid"},
		"no secret": {Config{ClientID: "hunter2"}, "provider_credentials_invalid"},
		"newline":   {Config{ClientID: "c", ClientSecret: "hunter2\n"}, "provider_credentials_invalid"},
		"odd signature": {
			Config{ClientID: "c", ClientSecret: "s", WebhookSignature: "rsa"}, "provider_credentials_invalid",
		},
		"live over http": {
			Config{ClientID: "c", ClientSecret: "s", Live: true, BaseURL: "http://127.0.0.1:1"}, "provider_config_invalid",
		},
		"no URL": {Config{ClientID: "c", ClientSecret: "s", BaseURL: "flutterwave.com"}, "provider_config_invalid"},
		"password in it": {
			Config{ClientID: "c", ClientSecret: "s", BaseURL: "https://a:b@x.com"}, "provider_config_invalid",
		},
		"negative timeout": {Config{ClientID: "c", ClientSecret: "s", Timeout: -1}, "provider_config_invalid"},
	} {
		_, err := New(tc.config)
		require.Equal(t, tc.code, fault.From(err).Code, name)
		require.Equal(t, fault.Invalid, fault.From(err).Kind, name)
		require.NotContains(t, err.Error(), "hunter2")
	}
}

func TestFactory_Open(t *testing.T) {
	t.Parallel()
	credentials := map[string]string{FieldClientID: "c", FieldClientSecret: "s", FieldWebhookSignature: SignaturePlain}
	for live, api := range map[bool]string{
		false: "https://developersandbox-api.flutterwave.com", true: "https://f4bexperience.flutterwave.com",
	} {
		p, err := Factory{}.Open(providers.Account{Live: live, Credentials: credentials})
		require.NoError(t, err)
		f, ok := p.(*Flutterwave)
		require.True(t, ok)
		require.Equal(t, api, f.addresses.api)
		require.Equal(t, "https://idp.flutterwave.com/realms/flutterwave/protocol/openid-connect/token", f.addresses.token)
		require.True(t, f.plainHash)
		require.Equal(t, 30*time.Second, f.timeout)
		can := p.Capabilities()
		require.Equal(t, time.Hour, can.ReplayWindow)
		require.Zero(t, can.AbsenceAfter)
		require.False(t, can.Cancel)
		require.Equal(t, Factory{}.Name(), p.Name())
	}
	p, err := Factory{}.Open(providers.Account{
		Credentials: credentials, BaseURL: "http://127.0.0.1:8090/flw/", ReplayWindow: time.Minute, Timeout: time.Second,
	})
	require.NoError(t, err)
	f, ok := p.(*Flutterwave)
	require.True(t, ok)
	require.Equal(t, addresses{
		api: "http://127.0.0.1:8090/flw", token: "http://127.0.0.1:8090/flw" + tokenPath,
	}, f.addresses, "one address replaces both")
	require.Equal(t, time.Minute, p.Capabilities().ReplayWindow)
	for _, field := range (Factory{}).Fields() {
		require.Equal(t, field.Name == FieldClientSecret || field.Name == FieldWebhookSecret, field.Secret, field.Name)
	}
	require.Contains(t, Factory{}.CallbackTypes(), "charge.completed")
}

func TestFactory_Supports(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method  providers.Method
		renewal paymethod.Renewal
	}{
		{providers.Method{Type: "card", CustomerToken: "cus_1", PaymentMethodToken: "pmd_1"}, paymethod.RenewalUnattended},
		{providers.Method{Type: "card"}, paymethod.RenewalUnattended},
		{providers.Method{Type: "card", PaymentMethodToken: "pm_1"}, paymethod.RenewalImpossible},
		{providers.Method{Type: "mobile_money_mtn", PhoneNumber: "233241234567"}, paymethod.RenewalPrompt},
		{providers.Method{Type: "mobile_money_mtn"}, paymethod.RenewalPrompt},
		{providers.Method{Type: "mobile_money_mtn", PhoneNumber: "4915112345678"}, paymethod.RenewalImpossible},
		{providers.Method{Type: "mobile_money_mtn", PhoneNumber: "+25"}, paymethod.RenewalImpossible},
		{providers.Method{Type: "mobile_money_"}, paymethod.RenewalImpossible},
		{providers.Method{Type: "bank"}, paymethod.RenewalImpossible},
	} {
		got := Factory{}.Supports(c.method)
		require.Equal(t, c.renewal, got.Renewal, c.method)
		require.Equal(t, c.renewal != paymethod.RenewalImpossible, got.Accepted, c.method)
		require.Equal(t, got.Accepted, got.Reason == "", c.method)
	}
}

func TestConfig_HidesSecrets(t *testing.T) {
	t.Parallel()
	c := Config{ClientID: "c", ClientSecret: canary, WebhookSecret: hashCanary}
	f, err := New(c)
	require.NoError(t, err)
	f.tokens.keep(wire.Seal("verysecret-token"), "600")
	for _, v := range []any{c, &c, f, f.tokens, f.clientSecret, struct{ k wire.Secret }{f.clientSecret}} {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			require.NotContains(t, fmt.Sprintf(verb, v), "verysecret")
		}
		if out, err := json.Marshal(v); err == nil {
			require.NotContains(t, string(out), "verysecret")
		}
	}
	require.Equal(t, "[redacted]", f.clientSecret.String())
	require.Equal(t, "[empty]", wire.Seal("").String())
}
