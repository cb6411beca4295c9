package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/internal/vault"
	"perennial/providers"
)

// rolledAt is the time at which the second version was stored.
var rolledAt = time.Date(2026, 1, 15, 12, 0, 0, 0, time.UTC)

// account is a configuration whose versions hold these credentials, the newest first, a day apart.
func account(t *testing.T, keys *vault.Vault, versions ...Credentials) db.ProviderConfig {
	t.Helper()
	keyset, err := keys.NewAppKeyset("app_1")
	require.NoError(t, err)
	c := db.ProviderConfig{ID: "pp_1", AppID: "app_1", Mode: "test", Provider: "stripe", Keyset: keyset}
	for i, plain := range versions {
		sealed, err := Seal(keys, c, len(versions)-i, plain)
		require.NoError(t, err)
		sealed.CreatedAt = rolledAt.AddDate(0, 0, -i)
		c.Credentials = append(c.Credentials, sealed)
	}
	return c
}

func newVault(t *testing.T) *vault.Vault {
	t.Helper()
	keys, err := vault.New(vault.NewKEK())
	require.NoError(t, err)
	return keys
}

// signed is a callback of Stripe's at a time.
func signed(secret string, at time.Time) providers.CallbackRequest {
	body := `{"id":"evt_1","type":"payment_intent.succeeded","data":{"object":{"object":"payment_intent","id":"pi_1"}}}`
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(mac, "%d.%s", at.Unix(), body)
	return providers.CallbackRequest{Method: http.MethodPost, Body: []byte(body), Header: http.Header{
		"Stripe-Signature": {"t=" + strconv.FormatInt(at.Unix(), 10) + ",v1=" + hex.EncodeToString(mac.Sum(nil))},
	}}
}

func TestProvider_ReplacedWebhookSecretVerifiesForADay(t *testing.T) {
	t.Parallel()
	keys := newVault(t)
	provider, err := New(Config{Vault: keys}).Provider(t.Context(), account(t, keys,
		Credentials{"secretKey": "sk_test_2", "webhookSecret": "whsec_new"},
		Credentials{"secretKey": "sk_test_1", "webhookSecret": "whsec_old"},
		Credentials{"secretKey": "sk_test_1", "webhookSecret": "whsec_oldest"}))
	require.NoError(t, err)
	for _, c := range []struct {
		secret string
		after  time.Duration
		takes  bool
	}{
		{"whsec_new", 0, true}, {"whsec_new", 48 * time.Hour, true},
		{"whsec_old", 0, true}, {"whsec_old", 24*time.Hour - time.Second, true}, {"whsec_old", 24 * time.Hour, false},
		{"whsec_oldest", 0, false}, {"whsec_forged", 0, false},
	} {
		now := rolledAt.Add(c.after)
		messages, _, err := provider.ParseCallback(t.Context(), signed(c.secret, now), now)
		if c.takes {
			require.NoError(t, err, "%+v", c)
			require.Equal(t, "pi_1", messages[0].Ref)
			continue
		}
		require.Equal(t, "callback_signature_invalid", fault.From(err).Code, "%+v", c)
	}
}

func TestProvider_AbsentEarlierSecretVerifiesNothing(t *testing.T) {
	t.Parallel()
	keys := newVault(t)
	provider, err := New(Config{Vault: keys}).Provider(t.Context(), account(t, keys,
		Credentials{"secretKey": "sk_test_2", "webhookSecret": "whsec_new"}, Credentials{"secretKey": "sk_test_1"}))
	require.NoError(t, err)
	require.NotPanics(t, func() { _ = provider.Capabilities() })
	_, isRolled := provider.(rolled)
	require.False(t, isRolled)
}

func TestProvider_UnreadableEarlierVersionStopsNothing(t *testing.T) {
	t.Parallel()
	keys := newVault(t)
	config := account(t, keys, Credentials{"secretKey": "sk_test_2", "webhookSecret": "whsec_new"},
		Credentials{"secretKey": "sk_test_1", "webhookSecret": "whsec_old"})
	config.Credentials[1].Sealed[20] ^= 1
	_, err := New(Config{Vault: keys}).Provider(t.Context(), config)
	require.NoError(t, err)
	config.Credentials[0].Sealed[20] ^= 1
	_, err = New(Config{Vault: keys}).Provider(t.Context(), config)
	require.Equal(t, "credential_unreadable", fault.From(err).Code)
}

func TestProvider_KeptUntilCredentialsChange(t *testing.T) {
	t.Parallel()
	keys := newVault(t)
	g := New(Config{Vault: keys})
	config := account(t, keys, Credentials{"secretKey": "sk_test_1"})
	first, err := g.Provider(t.Context(), config)
	require.NoError(t, err)
	again, err := g.Provider(t.Context(), config)
	require.NoError(t, err)
	require.Same(t, first, again, "connections are reused")
	other := account(t, keys, Credentials{"secretKey": "sk_test_2"})
	changed, err := g.Provider(t.Context(), other)
	require.NoError(t, err)
	require.NotSame(t, first, changed)
}

// Builds before versions sealed each field in a column of its own.
func TestUnseal_FormerCredentials(t *testing.T) {
	t.Parallel()
	keys := newVault(t)
	c := account(t, keys)
	seal := func(name, text string) []byte {
		sealed, err := keys.Seal(c.Keyset, vault.Field{AppID: c.AppID, ConfigID: c.ID, Name: name}, []byte(text))
		require.NoError(t, err)
		return sealed
	}
	c.Former = db.FormerCredentials{
		SecretKeySealed: seal("secretKey", "sk_test_1"), WebhookSecretSealed: seal("webhookSecret", "whsec_1"),
	}
	plain, err := Unseal(keys, c)
	require.NoError(t, err)
	require.Equal(t, Credentials{"secretKey": "sk_test_1", "webhookSecret": "whsec_1"}, plain)
}

func TestCheck_NamesUnknownCredential(t *testing.T) {
	t.Parallel()
	g := New(Config{})
	require.NoError(t, g.Check("stripe", "test", Credentials{"secretKey": "sk_test_1"}))
	for code, c := range map[string]struct {
		provider, mode string
		credentials    Credentials
	}{
		"credential_unknown":            {"stripe", "test", Credentials{"secretKey": "sk_test_1", "apiToken": "x"}},
		"provider_unknown":              {"paper", "test", Credentials{"secretKey": "sk_test_1"}},
		"provider_environment_mismatch": {"stripe", "live", Credentials{"secretKey": "sk_test_1"}},
	} {
		err := g.Check(c.provider, c.mode, c.credentials)
		require.Equal(t, code, fault.From(err).Code)
		require.NotContains(t, err.Error(), "sk_test_1")
	}
}

func TestCredentials_NeverPrinted(t *testing.T) {
	t.Parallel()
	c := Credentials{"secretKey": "sk_canary"}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(format, c), "canary", format)
	}
	require.Equal(t, []string{"a", "c", "d"}, Credentials{"a": "1", "b": "2", "d": "4"}.
		Changed(Credentials{"a": "0", "b": "2", "c": "3"}))
	require.Equal(t, Credentials{"a": "1"}, Credentials{"a": "0", "b": "2"}.With(Credentials{"a": "1", "b": ""}))
}
