package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/billing/dunning"
	"perennial/billing/retry"
	"perennial/billing/subscription"
	"perennial/cmd/perennial/cli"
	"perennial/db"
	"perennial/internal/apikey"
	"perennial/internal/testkit"
	"perennial/internal/vault"
	"perennial/service/gateway"
)

// database gives a migrated one and the environment that names it.
func database(t *testing.T) (env map[string]string) {
	t.Helper()
	empty := testkit.Postgres(t, nil)
	env = map[string]string{"DATABASE_URL": empty.URL, "PERENNIAL_KEK": vault.NewKEK()}
	got := perennial(t, env, "migrate")
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	return env
}

func open(t *testing.T, env map[string]string) *db.Store {
	t.Helper()
	store, err := db.Open(t.Context(), db.Config{URL: env["DATABASE_URL"], MaxConns: 2, Clock: time.Now})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return store
}

// create makes a key and answers it.
func create(t *testing.T, env map[string]string, args ...string) string {
	t.Helper()
	got := perennial(t, env, append([]string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "test"},
		args...)...)
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	key, ok := strings.CutSuffix(got.stdout, "\n")
	require.True(t, ok)
	require.NotContains(t, key, "\n", "the key stands alone, for scripts")
	require.NotContains(t, got.stderr, key)
	return key
}

func TestMigrate_ShowsVersion(t *testing.T) {
	t.Parallel()
	env := map[string]string{"DATABASE_URL": testkit.Postgres(t, nil).URL}
	got := perennial(t, env, "migrate", "--status")
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stdout, "schema version 0 of ")
	require.Contains(t, got.stderr, "run `perennial migrate`")

	got = perennial(t, env, "migrate")
	require.Equal(t, cli.ExitDone, got.code, got.stderr)
	require.Contains(t, got.stderr, "migration applied  {\"file\": \"00001_tenancy.sql\"", "each is told")

	again := perennial(t, env, "migrate")
	require.Equal(t, outcome{cli.ExitDone, got.stdout, ""}, again, "a second time there is nothing to do")
	require.Equal(t, outcome{cli.ExitDone, got.stdout, ""}, perennial(t, env, "migrate", "--status"))
}

func TestKey_WorksUntilRevoked(t *testing.T) {
	t.Parallel()
	env := database(t)
	store := open(t, env)
	plain := create(t, env, "--time-zone", "Africa/Douala", "--scope", "read", "--scope", "webhooks", "--allow-from",
		"10.1.2.3/8", "--expires-in", "1h")
	key, err := store.KeyByHash(t.Context(), apikey.Hash(plain))
	require.NoError(t, err)
	require.Equal(t, "test", key.Mode)
	require.Equal(t, "secret", key.Kind)
	require.Equal(t, []string{"read", "webhooks"}, key.Scopes)
	require.Equal(t, "10.0.0.0/8", key.AllowedCIDRs[0].String())
	require.Equal(t, "Africa/Douala", key.TimeZone)
	require.WithinDuration(t, time.Now().Add(time.Hour), key.ExpiresAt, time.Minute)

	second, err := store.KeyByHash(t.Context(), apikey.Hash(create(t, env, "--kind", "publishable")))
	require.NoError(t, err)
	require.Equal(t, key.EnvironmentID, second.EnvironmentID, "tenant, app and environment are found by name")

	listed := perennial(t, env, "key", "list")
	require.Equal(t, cli.ExitDone, listed.code)
	require.Contains(t, listed.stdout, key.ID)
	require.NotContains(t, listed.stdout, plain)

	rotated := perennial(t, env, "key", "rotate", "--overlap", "10m", key.ID)
	require.Equal(t, cli.ExitDone, rotated.code, rotated.stderr)
	next, err := store.KeyByHash(t.Context(), apikey.Hash(strings.TrimSpace(rotated.stdout)))
	require.NoError(t, err)
	require.Equal(t, key.Scopes, next.Scopes)
	require.Equal(t, key.AllowedCIDRs, next.AllowedCIDRs)
	require.Equal(t, cli.ExitUsage, perennial(t, env, "key", "rotate", "--overlap", "169h", key.ID).code)

	require.Equal(t, cli.ExitDone, perennial(t, env, "key", "revoke", key.ID).code)
	key, err = store.KeyByHash(t.Context(), apikey.Hash(plain))
	require.NoError(t, err)
	require.False(t, key.RevokedAt.IsZero())
	var rows []map[string]any
	require.NoError(t, json.Unmarshal([]byte(perennial(t, env, "key", "list", "--json").stdout), &rows))
	require.Len(t, rows, 3)
	require.Contains(t, rows[0]["state"], "revoked 20")
	require.Equal(t, "valid", rows[1]["state"])
	require.Contains(t, rows[2]["state"], "valid until")

	got := perennial(t, env, "key", "revoke", "key_00000000000000000000000000")
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, "api_key_not_found")
}

func TestProviderCredentials_AreSealed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		env   map[string]string
		input string
		args  []string
	}{
		"from variables": {map[string]string{"S": "sk_test_from_the_vault", "W": "whsec_def"}, "",
			[]string{"--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W"}},
		"from standard input": {
			nil, "sk_test_from_the_vault\nwhsec_def\n",
			[]string{"--stripe-secret-key-env", "-", "--stripe-webhook-secret-env", "-"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := database(t)
			for k, v := range c.env {
				env[k] = v
			}
			args := append([]string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "test"}, c.args...)
			got := perennialWithInput(t, env, c.input, args...)
			require.Equal(t, cli.ExitDone, got.code, got.stderr)
			require.NotContains(t, got.stderr+got.stdout, "from_the_vault")

			store := open(t, env)
			key, err := store.KeyByHash(t.Context(), apikey.Hash(strings.TrimSpace(got.stdout)))
			require.NoError(t, err)
			account, err := store.Payments.ProviderConfig(t.Context(), key.EnvironmentID)
			require.NoError(t, err)
			require.NotContains(t, string(account.Credentials[0].Sealed), "from_the_vault")
			keys, err := vault.New(env["PERENNIAL_KEK"])
			require.NoError(t, err)
			plain, err := gateway.Unseal(keys, account)
			require.NoError(t, err)
			require.Equal(t,
				gateway.Credentials{"secretKey": "sk_test_from_the_vault", "webhookSecret": "whsec_def"}, plain)

			again := perennialWithInput(t, env, c.input, args...)
			require.Equal(t, cli.ExitFailed, again.code)
			require.Contains(t, again.stderr, "primary_provider_exists")
		})
	}
}

// A refused command leaves nothing behind: it works once it is corrected.
func TestTenancyCommands_RefusedChangeNothing(t *testing.T) {
	t.Parallel()
	env := database(t)
	env["S"] = "sk_live_abc"
	refuse := func(says string, env map[string]string, args ...string) {
		got := perennial(t, env, append([]string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "test"},
			args...)...)
		require.Equal(t, cli.ExitFailed, got.code, got.stdout)
		require.Contains(t, got.stderr, says)
		require.Empty(t, got.stdout)
	}
	refuse("provider_environment_mismatch", env, "--stripe-secret-key-env", "S")
	refuse("kek_missing", map[string]string{"DATABASE_URL": env["DATABASE_URL"]})
	require.Equal(t, "[]\n", perennial(t, env, "key", "list", "--json").stdout)
	environments, err := open(t, env).Tenancy.Environments(t.Context())
	require.NoError(t, err)
	require.Empty(t, environments)

	create(t, env, "--time-zone", "Europe/Paris")
	refuse("environment_exists", env, "--time-zone", "UTC")
	refuse("Omit --time-zone and --retry-factor", env, "--time-zone", "UTC", "--retry-factor", "3", "--past-due-billing",
		"skip")
	create(t, env, "--time-zone", "Europe/Paris", "--past-due-cancel-after", "0") // as it is
}

func TestEnvironmentCreate_TakesSettings(t *testing.T) {
	t.Parallel()
	env := database(t)
	for app, c := range map[string]struct {
		args []string
		want subscription.Settings
		says string
	}{
		"Plain": {nil, subscription.DefaultSettings(),
			"time zone UTC; retries after 24h, 48h, 96h and at most 1h of jitter; " +
				"periods that pass in past_due are not billed; past_due cancels never; " +
				"renewals that ask the payer are announced 24h before"},
		"Chosen": {
			[]string{"--time-zone", "Africa/Douala", "--retry-base", "36h", "--retry-factor", "1", "--retry-jitter", "0s",
				"--past-due-billing", "accrue", "--past-due-cancel-after", "60", "--renewal-reminder", "0"},
			subscription.Settings{
				TimeZone: "Africa/Douala", Dunning: dunning.Policy{
					Retry: retry.Policy{Base: 36 * time.Hour, Factor: 1, Retries: 3}, Final: dunning.Cancel, CancelAfterDays: 60,
				},
				PastDueBilling: subscription.AccruePastDue,
			},
			"time zone Africa/Douala; retries after 36h, 36h, 36h and at most 0s of jitter; periods that pass in past_due are billed; " +
				"past_due cancels after 60 days; renewals are not announced",
		},
	} {
		got := perennial(t, env, append([]string{"key", "create", "--tenant", "Acme", "--app", app, "--mode", "live"},
			c.args...)...)
		require.Equal(t, cli.ExitDone, got.code, got.stderr)
		store := open(t, env)
		key, err := store.KeyByHash(t.Context(), apikey.Hash(strings.TrimSpace(got.stdout)))
		require.NoError(t, err)
		all, err := store.Tenancy.Environments(t.Context())
		require.NoError(t, err)
		i := slices.IndexFunc(all, func(e db.Environment) bool { return e.ID == key.EnvironmentID })
		require.GreaterOrEqual(t, i, 0)
		made := all[i]
		require.Equal(t, c.want, made.Settings)
		require.Contains(t, got.stderr, "environment "+made.ID+": "+c.says+"\n")
	}
}

func TestProviderCreate_ShowsCallbackAddress(t *testing.T) {
	t.Parallel()
	env := database(t)
	env["S"] = "sk_test_from_the_vault"
	for app, base := range map[string]string{"One": "PUBLIC_URL", "Two": "https://billing.example.com"} {
		if env["PUBLIC_URL"] = base; base == "PUBLIC_URL" {
			delete(env, "PUBLIC_URL")
		}
		args := []string{"key", "create", "--tenant", "Acme", "--app", app, "--mode", "test"}
		got := perennial(t, env, append(args, "--stripe-secret-key-env", "S")...)
		require.Equal(t, cli.ExitDone, got.code, got.stderr)
		store := open(t, env)
		key, err := store.KeyByHash(t.Context(), apikey.Hash(strings.TrimSpace(got.stdout)))
		require.NoError(t, err)
		account, err := store.Payments.ProviderConfig(t.Context(), key.EnvironmentID)
		require.NoError(t, err)
		require.Contains(
			t, got.stderr, "callbacks: have stripe send its events to "+base+"/callbacks/stripe/"+account.ID+"\n",
		)
		require.NotContains(t, perennial(t, env, args...).stderr, "callbacks:", "nothing new")
	}
}

func TestKEK_IsUsable(t *testing.T) {
	t.Parallel()
	got := perennial(t, nil, "key", "kek")
	require.Equal(t, cli.ExitDone, got.code)
	_, err := vault.New(strings.TrimSpace(got.stdout))
	require.NoError(t, err)
	require.NotEqual(t, got.stdout, perennial(t, nil, "key", "kek").stdout)
}

func TestHealthcheck_AcceptsOnly200(t *testing.T) {
	t.Parallel()
	var status atomic.Int32
	status.Store(http.StatusServiceUnavailable)
	asked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write([]byte("draining"))
	}))
	t.Cleanup(asked.Close)
	got := perennial(t, nil, "healthcheck", "--url", asked.URL)
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, "answers 503: draining")
	status.Store(http.StatusOK)
	require.Equal(t, outcome{code: cli.ExitDone}, perennial(t, nil, "healthcheck", "--url", asked.URL))
	require.Equal(t, outcome{code: cli.ExitDone},
		perennial(t, map[string]string{"METRICS_ADDRESS": strings.Replace(asked.Listener.Addr().String(), "127.0.0.1", "0.0.0.0", 1)},
			"healthcheck"))
}

// `docker compose up` runs it each time.
func TestKeyCreate_IfNoneMakesOneKey(t *testing.T) {
	t.Parallel()
	env := database(t)
	env["S"] = "sk_test_abc"
	args := []string{"--if-none", "--stripe-secret-key-env", "S"}
	require.NotEmpty(t, create(t, env, args...))
	again := perennial(t, env, append([]string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "test"},
		args...)...)
	require.Equal(t, cli.ExitDone, again.code, again.stderr)
	require.Empty(t, again.stdout)
	require.Contains(t, again.stderr, "exists")
	require.Contains(t, again.stderr, "without --if-none makes another one")
	other := perennial(t, env, append([]string{"key", "create", "--tenant", "Acme", "--app", "Shop", "--mode", "live"},
		"--if-none")...)
	require.Equal(t, cli.ExitDone, other.code, other.stderr)
	require.NotEmpty(t, other.stdout, "another environment has its own")
}
