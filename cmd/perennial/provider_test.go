package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/routing"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/vault"
	"perennial/service/gateway"
)

// stripeThatTakes is a provider that knows one secret key.
func stripeThatTakes(t *testing.T, key string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"type":"invalid_request_error"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"object":"balance","livemode":false}`))
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// withAccount makes an environment whose account has a mistyped secret key.
func withAccount(t *testing.T) (env map[string]string, stored func() db.ProviderConfig) {
	t.Helper()
	env = database(t)
	env["S"], env["W"], env["GOOD"] = "sk_test_mistyped", "whsec_old", "sk_test_good"
	env["STRIPE_API_URL"] = stripeThatTakes(t, env["GOOD"])
	plain := create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
	store := open(t, env)
	key, err := store.KeyByHash(t.Context(), apikey.Hash(plain))
	require.NoError(t, err)
	return env, func() db.ProviderConfig {
		account, err := store.Payments.ProviderConfig(t.Context(), key.EnvironmentID)
		require.NoError(t, err)
		return account
	}
}

func credentialsOf(t *testing.T, env map[string]string, account db.ProviderConfig) gateway.Credentials {
	t.Helper()
	keys, err := vault.New(env["PERENNIAL_KEK"])
	require.NoError(t, err)
	plain, err := gateway.Unseal(keys, account)
	require.NoError(t, err)
	return plain
}

func TestProviderUpdate_ReplacesCredentialsUnderTheSameID(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	before := stored()
	keys, err := vault.New(env["PERENNIAL_KEK"])
	require.NoError(t, err)
	running := gateway.New(gateway.Config{Vault: keys, BaseURLs: map[string]string{"stripe": env["STRIPE_API_URL"]}})
	adapter, err := running.Provider(t.Context(), before)
	require.NoError(t, err)
	require.ErrorContains(t, adapter.TestConnection(t.Context()), "provider_credentials_rejected")

	done := perennial(t, env, "provider", "update", before.ID, "--stripe-secret-key-env", "GOOD")
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	require.Contains(t, done.stdout, "/callbacks/stripe/"+before.ID)
	require.NotContains(t, done.stdout+done.stderr, env["GOOD"])
	require.Equal(t, before.ID, stored().ID)
	require.Equal(t, gateway.Credentials{"secretKey": env["GOOD"], "webhookSecret": env["W"]},
		credentialsOf(t, env, stored()))
	adapter, err = running.Provider(t.Context(), stored())
	require.NoError(t, err)
	require.NoError(t, adapter.TestConnection(t.Context()), "a process that runs uses the new key")

	tested := perennial(t, env, "provider", "test", before.ID)
	require.Equal(t, cli.ExitDone, tested.code, tested.stderr)

	env["W2"] = "whsec_new"
	done = perennial(t, env, "provider", "update", before.ID, "--credential", "webhookSecret=W2")
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	require.Equal(t, gateway.Credentials{"secretKey": env["GOOD"], "webhookSecret": "whsec_new"},
		credentialsOf(t, env, stored()))

	changes, err := open(t, env).Payments.CredentialChanges(t.Context(), before.EnvironmentID, before.ID)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Equal(t, []string{"secretKey"}, changes[0].Fields)
	require.Equal(t, "cli "+thisUser(t), string(changes[0].ActorKind)+" "+changes[0].ActorID)
	require.Equal(t, []string{"webhookSecret"}, changes[1].Fields)
	listed := perennial(t, env, "provider", "list")
	require.Equal(t, cli.ExitDone, listed.code, listed.stderr)
	require.Regexp(t, before.ID+` +Acme +Shop +test +stripe`, listed.stdout)
	require.Equal(t, 1, strings.Count(perennial(t, env, "key", "list").stdout, "key_"), "no key is made")
}

func TestProviderUpdate_RefusedChangesNothing(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	before := stored()
	env["BAD"], env["LIVE"] = "sk_test_bad", "sk_live_abc"
	refuse := func(code int, says string, args ...string) {
		t.Helper()
		got := perennial(t, env, append([]string{"provider", "update"}, args...)...)
		require.Equal(t, code, got.code)
		require.Contains(t, got.stderr, says)
		require.Equal(t, before, stored())
	}
	refuse(cli.ExitFailed, "provider_credentials_rejected", before.ID, "--stripe-secret-key-env", "BAD")
	refuse(cli.ExitFailed, "provider_environment_mismatch", before.ID, "--stripe-secret-key-env", "LIVE", "--skip-test")
	refuse(cli.ExitFailed, "provider_config_not_found", "pp_absent", "--stripe-secret-key-env", "GOOD")
	refuse(cli.ExitFailed, "keyset_readable", before.ID, "--stripe-secret-key-env", "GOOD", "--new-keyset")
	refuse(cli.ExitUsage, "--credential", before.ID)
	refuse(cli.ExitFailed, "credential_unknown", before.ID, "--credential", "apiToken=GOOD", "--skip-test")
	refuse(cli.ExitUsage, "given twice", before.ID, "--credential", "secretKey=GOOD", "--stripe-secret-key-env", "GOOD")
	env["STRIPE_API_URL"] = "http://127.0.0.1:1"
	refuse(cli.ExitFailed, "--skip-test", before.ID, "--stripe-secret-key-env", "GOOD")
	done := perennial(t, env, "provider", "update", before.ID, "--stripe-secret-key-env", "BAD", "--skip-test")
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	require.Equal(t, "sk_test_bad", credentialsOf(t, env, stored())["secretKey"])
}

func TestProviderUpdate_BeginsAnewWhereTheKEKIsLost(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	id := stored().ID
	env["PERENNIAL_KEK"] = vault.NewKEK()
	args := []string{"provider", "update", id, "--stripe-secret-key-env", "GOOD"}
	require.Contains(t, perennial(t, env, args...).stderr, "keyset_unreadable")
	require.Contains(t, perennial(t, env, append(args, "--new-keyset")...).stderr, "webhookSecret is missing")
	done := perennial(t, env, append(args, "--stripe-webhook-secret-env", "W", "--new-keyset")...)
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	require.Equal(t, gateway.Credentials{"secretKey": env["GOOD"], "webhookSecret": env["W"]},
		credentialsOf(t, env, stored()))
	changes, err := open(t, env).Payments.CredentialChanges(t.Context(), stored().EnvironmentID, id)
	require.NoError(t, err)
	require.Equal(t, []string{"keyset", "secretKey", "webhookSecret"}, changes[0].Fields)
}

// Nothing else closes the breaker of a backup, while all payments go to the primary account.
func TestProviderTest_KeepsWhatItFinds(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	account, store := stored(), open(t, env)
	breaker := func() (b routing.Breaker) {
		require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) (err error) {
			b, err = tx.Payments.LockBreaker(t.Context(), account.EnvironmentID, account.ID)
			return err
		}))
		return b
	}
	rests := routing.Breaker{}.Failed(routing.Unauthorized, "txn_1", time.Now().Add(-time.Hour))
	_ = breaker() // makes its row
	require.NoError(t, store.InTx(t.Context(), db.BySystem("test"), time.Now(), func(tx *db.Tx) error {
		return tx.Payments.SaveBreaker(t.Context(), account.EnvironmentID, account.ID, rests)
	}))

	refused := perennial(t, env, "provider", "test", account.ID)
	require.Equal(t, cli.ExitFailed, refused.code)
	require.Contains(t, refused.stderr, "Stripe does not accept this secret key")
	require.Contains(t, perennial(t, env, "provider", "list").stdout, "failing")
	require.True(t, breaker().Opened())

	done := perennial(t, env, "provider", "update", account.ID, "--stripe-secret-key-env", "GOOD")
	require.Equal(t, cli.ExitDone, done.code, done.stderr)
	taken := perennial(t, env, "provider", "test", account.ID)
	require.Equal(t, cli.ExitDone, taken.code, taken.stderr)
	require.Contains(t, perennial(t, env, "provider", "list").stdout, "active")
	require.False(t, breaker().Opened())
}

func TestKeyCreate_NeverDropsCredentials(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	args := []string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "test", "--stripe-secret-key-env"}
	again := perennial(t, env, append(args, "S", "--if-none")...)
	require.Equal(t, cli.ExitDone, again.code, again.stderr)
	other := perennial(t, env, append(args, "GOOD", "--if-none")...)
	require.Equal(t, cli.ExitFailed, other.code)
	require.Contains(t, other.stderr, "perennial provider update "+stored().ID)
	other = perennial(t, env, append(args, "GOOD")...)
	require.Equal(t, cli.ExitFailed, other.code)
	require.Contains(t, other.stderr, "perennial provider update "+stored().ID)
	require.NotContains(t, other.stderr, "SQLSTATE")

	plain := []string{"key", "create", "--tenant", "Acme", "--app", "Bare", "--mode", "test"}
	require.Equal(t, cli.ExitDone, perennial(t, env, plain...).code)
	bare := perennial(t, env, append(plain, "--if-none", "--stripe-secret-key-env", "GOOD")...)
	require.Equal(t, cli.ExitFailed, bare.code)
	require.Contains(t, bare.stderr, "provider_absent")
}
