package main

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

// A provider that hangs uses up the whole patience of its account's check, so all accounts are tried at the same time,
// and reported in order. This provider answers only after all have asked.
func TestDoctor_TriesAccountsAtTheSameTime(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["S"], env["W"] = "sk_test_abc", "whsec_abc"
	apps := []string{"First", "Second", "Third"}
	for _, app := range apps {
		made := perennial(t, env, "key", "create", "--tenant", "Acme", "--app", app, "--mode", "test",
			"--stripe-secret-key-env", "S", "--stripe-webhook-secret-env", "W")
		require.Equal(t, cli.ExitDone, made.code, made.stderr)
	}
	var asked sync.WaitGroup
	asked.Add(len(apps))
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Done()
		asked.Wait()
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"object":"balance","livemode":false}`)) // the doctor has gone: its verdict says so
	}))
	t.Cleanup(provider.Close)
	env["STRIPE_API_URL"] = provider.URL

	d, _ := diagnose(t, env)
	var accounts, environments []string
	for _, f := range d.Checks {
		switch f.Check {
		case "payment provider":
			require.Equal(t, good, f.Verdict, f.Detail)
			accounts = append(accounts, strings.Fields(f.Detail)[2])
		case "environment":
			environments = append(environments, strings.Fields(f.Detail)[0])
		}
	}
	require.Len(t, environments, len(apps))
	require.Equal(t, environments, accounts)
	require.True(t, slices.IsSorted(environments))
}
