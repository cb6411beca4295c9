package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/vault"
	"perennial/service/gateway"
)

func TestKeyEncryptionRotate_ReplacesTheKeyAndSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	run := func(code int, says string, args ...string) {
		t.Helper()
		got := perennial(t, env, append([]string{"key-encryption"}, args...)...)
		require.Equal(t, code, got.code, got.stdout+got.stderr)
		require.Contains(t, got.stdout+got.stderr, says)
		require.NotContains(t, got.stdout+got.stderr, "kek_")
	}
	before, old, app := credentialsOf(t, env, stored()), env["PERENNIAL_KEK"], stored().AppID
	run(cli.ExitDone, "1 with the first key, 0 with another, 0 unreadable", "status")
	run(cli.ExitDone, app+"  left as it was", "rotate")

	fresh := vault.NewKEK()
	env["PERENNIAL_KEK"] = fresh
	run(cli.ExitFailed, app+"  wrapped with a key that PERENNIAL_KEK does not have", "status")
	run(cli.ExitFailed, "run this again", "rotate")
	run(cli.ExitFailed, "0 wrapped, 0 renewed, 0 left, 1 failed", "rotate", "--data-keys")
	env["PERENNIAL_KEK"] = fresh + "," + old
	run(cli.ExitFailed, app+"  wrapped with another key of PERENNIAL_KEK", "status")
	run(cli.ExitDone, "1 wrapped, 0 renewed, 0 left, 0 failed", "rotate")
	run(cli.ExitDone, "0 wrapped, 0 renewed, 1 left, 0 failed", "rotate")
	env["PERENNIAL_KEK"] = fresh
	run(cli.ExitDone, "1 with the first key", "status")
	sealed := stored().Credentials[0].Sealed
	run(cli.ExitDone, app+"  data key renewed, 1 value sealed anew", "rotate", "--data-keys")
	run(cli.ExitDone, "0 wrapped, 0 renewed, 0 left, 0 failed", "rotate", "--data-keys", "--after", app)
	require.NotEqual(t, sealed, stored().Credentials[0].Sealed)
	require.Equal(t, before, credentialsOf(t, env, stored()))
	delete(env, "PERENNIAL_KEK")
	run(cli.ExitUsage, "PERENNIAL_KEK is not set", "rotate")
}

func TestProviderAdd(t *testing.T) {
	t.Parallel()
	env, stored := withAccount(t)
	account := stored()
	listed, err := open(t, env).Payments.Accounts(t.Context())
	require.NoError(t, err)
	of := []string{"--tenant", listed[0].Tenant, "--app", listed[0].App, "--mode", listed[0].Mode}
	add := func(code int, says string, args ...string) string {
		t.Helper()
		got := perennial(t, env, append(append([]string{"provider", "add"}, of...), args...)...)
		require.Equal(t, code, got.code, got.stderr)
		require.Contains(t, got.stderr, says)
		for _, name := range []string{"GOOD", "BAD", "LIVE"} {
			require.NotContains(t, got.stdout+got.stderr, env[name])
		}
		return got.stdout
	}
	env["BAD"], env["LIVE"] = "sk_test_bad", "sk_live_abc"
	add(cli.ExitFailed, "provider_credentials_rejected", "--credential", "secretKey=BAD")
	add(cli.ExitFailed, "provider_environment_mismatch", "--credential", "secretKey=LIVE")
	add(cli.ExitFailed, "credential_unknown", "--credential", "secretKey=GOOD", "--credential", "apiToken=GOOD")
	add(cli.ExitFailed, "provider_unknown", "--provider", "paper", "--credential", "secretKey=GOOD")
	add(cli.ExitUsage, "--credential", "--priority", "3")
	add(cli.ExitUsage, "--priority", "--priority", "1001", "--credential", "secretKey=GOOD")
	require.Equal(t, cli.ExitUsage, perennial(t, env, "provider", "add", "--credential", "secretKey=GOOD").code)
	absent := perennial(t, env, "provider", "add", "--tenant", "Nobody", "--app", "x", "--mode", "test",
		"--credential", "secretKey=GOOD")
	require.Equal(t, cli.ExitFailed, absent.code)
	require.Contains(t, absent.stderr, "tenant_not_found")
	listed, err = open(t, env).Payments.Accounts(t.Context())
	require.NoError(t, err)
	require.Len(t, listed, 1, "nothing was stored")

	backup := add(cli.ExitDone, "connection: active", "--credential", "secretKey=GOOD", "--priority", "7")
	require.Equal(t, account.ID, stored().ID, "the first stays the primary one")
	failing := add(cli.ExitDone, "connection: failing", "--credential", "secretKey=BAD", "--skip-test")
	require.NotEqual(t, backup, failing)
	first := add(cli.ExitDone, "callbacks: have stripe send its events to ", "--credential", "secretKey=GOOD",
		"--credential", "webhookSecret=W", "--primary")
	require.Equal(t, stored().ID+"\n", first)
	require.Equal(t, gateway.Credentials{"secretKey": env["GOOD"], "webhookSecret": env["W"]},
		credentialsOf(t, env, stored()))
	list := perennial(t, env, "provider", "list").stdout
	require.Regexp(t, backup[:len(backup)-1]+` .* backup 7 +active +on `, list)
	require.Regexp(t, failing[:len(failing)-1]+` .* backup 100 +failing +on `, list)
	require.Regexp(t, stored().ID+` .* primary +active +on `, list)
	changes, err := open(t, env).Payments.CredentialChanges(t.Context(), account.EnvironmentID, stored().ID)
	require.NoError(t, err)
	require.Equal(t, []string{"created"}, changes[0].Fields)
	require.Equal(t, thisUser(t), changes[0].ActorID)
	delete(env, "PERENNIAL_KEK")
	add(cli.ExitUsage, "PERENNIAL_KEK is not set", "--credential", "secretKey=GOOD")
}
