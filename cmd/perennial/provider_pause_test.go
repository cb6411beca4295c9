package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

func TestProviderPause_AccountAndEnvironment(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	create(t, env, "--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
	store := open(t, env)
	accounts, err := store.Payments.Accounts(t.Context())
	require.NoError(t, err)
	account, environment := accounts[0].ID, accounts[0].EnvironmentID
	run := func(says string, args ...string) {
		t.Helper()
		done := perennial(t, env, append([]string{"provider"}, args...)...)
		require.Equal(t, cli.ExitDone, done.code, done.stderr)
		require.Contains(t, done.stdout, says)
	}
	run("charging through stripe ("+account+") is paused since 20", "pause", account)
	run(" paused since ", "list")
	run("charging in "+environment+" is paused since 20", "pause", environment)
	run("0 payments held in the environment", "pause", environment)
	run("paused in the environment since ", "list")

	d, _ := diagnose(t, env)
	at := slices.IndexFunc(d.Checks, func(f finding) bool { return f.Check == "charging" })
	require.Equal(t, warning, d.Checks[at].Verdict)
	require.Contains(t, d.Checks[at].Detail, "stripe "+account+" of Acme, Shop (test)")
	require.Contains(t, d.Checks[at].Detail, environment+" of Acme, Shop (test)")
	running := start(t, env, "api")
	eventually(t, "it starts", func() bool { return perennial(t, env, "healthcheck").code == cli.ExitDone })
	metrics := metricsOf(t, env)
	require.Contains(t, metrics,
		`perennial_charging_paused{account="`+account+`",environment="`+environment+`",mode="test",provider="stripe"} 1`)
	require.Contains(t, metrics,
		`perennial_charging_paused{account="",environment="`+environment+`",mode="test",provider=""} 1`)
	require.Contains(t, metrics, `perennial_charging_held{environment="`+environment+`",mode="test"} 0`)

	require.Equal(t, cli.ExitDone, running.stop().code)
	run("charging through stripe ("+account+") is on", "resume", account)
	run("charging in "+environment+" is on", "resume", environment)
	run(" on ", "list")
	changes, err := store.Payments.EnvironmentChanges(t.Context(), environment)
	require.NoError(t, err)
	require.Len(t, changes, 2)
	require.Equal(t, "cli "+thisUser(t), string(changes[0].ActorKind)+" "+changes[0].ActorID)
	d, _ = diagnose(t, env)
	require.Contains(t, d.verdicts("charging"), good)

	require.Equal(t, cli.ExitUsage, perennial(t, env, "provider", "pause").code)
	absent := perennial(t, env, "provider", "pause", "pp_absent")
	require.Equal(t, cli.ExitFailed, absent.code)
	require.Contains(t, absent.stderr, "provider_config_not_found")
	absent = perennial(t, env, "provider", "resume", "env_absent")
	require.Equal(t, cli.ExitFailed, absent.code)
	require.Contains(t, absent.stderr, "environment_not_found")
}
