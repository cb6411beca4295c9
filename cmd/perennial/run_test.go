package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
	"perennial/internal/testkit"
)

// asProgram makes this test binary the program itself, so that a test can kill it.
const asProgram = "PERENNIAL_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	testkit.Main(m)
}

// outcome is the result of a run of the whole program.
type outcome struct {
	code           int
	stdout, stderr string
}

// perennial runs the program with an environment of its own.
func perennial(t *testing.T, env map[string]string, args ...string) outcome {
	t.Helper()
	return perennialWithInput(t, env, "", args...)
}

func perennialWithInput(t *testing.T, env map[string]string, input string, args ...string) outcome {
	t.Helper()
	return perennialUntil(t.Context(), env, input, args...)
}

// perennialUntil runs it until ctx ends, as a signal would end it.
func perennialUntil(ctx context.Context, env map[string]string, input string, args ...string) outcome {
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, lookupIn(env), strings.NewReader(input), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := env[name]
		return value, ok
	}
}

func newKey(args ...string) []string {
	return append([]string{"key", "create", "--tenant", "T", "--app", "A", "--mode", "test"}, args...)
}

func TestUsage_WrongExitsWith2(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args []string
		says string
	}{
		"no command":      {nil, "Usage: perennial COMMAND"},
		"no subcommand":   {[]string{"key"}, "Usage: perennial key COMMAND"},
		"unknown command": {[]string{"servee"}, `perennial: there is no command "servee"; did you mean "serve"?`},
		"nothing like it": {[]string{"frobnicate"}, `perennial: there is no command "frobnicate"` + "\n"},
		"unknown subcommand": {[]string{"key", "crate"},
			`perennial key: there is no command "crate"; did you mean "create"?`},
		"unknown flag": {[]string{"dev", "--onse"},
			`perennial dev: there is no flag --onse; did you mean "--once"?`},
		"flag without value":     {[]string{"dev", "--port"}, "perennial dev: --port needs a value"},
		"flag of another kind":   {[]string{"dev", "--port", "many"}, `invalid value "many" for flag -port`},
		"port out of range":      {[]string{"dev", "--port", "70000"}, "--port is a number from 1 to 65535"},
		"argument too much":      {[]string{"api", "now"}, `"now" is too much`},
		"help for nothing known": {[]string{"help", "servee"}, `did you mean "serve"?`},
		"two keys to revoke":     {[]string{"key", "revoke", "key_1", "key_2"}, "give the ID of one key"},
		"tenant missing":         {[]string{"key", "create", "--app", "A", "--mode", "test"}, "--tenant is missing"},
		"mode unknown": {[]string{"key", "create", "--tenant", "T", "--app", "A", "--mode", "prod"},
			`--mode is test or live, not "prod"`},
		"kind unknown": {[]string{"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--kind", "x"},
			"--kind is secret or publishable"},
		"scope unknown": {[]string{
			"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--scope", "write",
		}, `--scope is one of *, read, webhooks, access, not "write"`},
		"network unknown": {[]string{
			"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--allow-from", "home",
		}, "is not a network"},
		"time zone unknown": {[]string{
			"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--time-zone", "Mars/Base",
		}, "is not an IANA time zone"},
		"no time zone": {newKey("--time-zone", "posixrules"), `--time-zone: "posixrules" is not an IANA time zone`},
		"retries too near": {newKey("--retry-base", "30s"),
			"--retry-base: The first gap must be one minute to 30 days"},
		"retries no duration": {newKey("--retry-base", "2"), `invalid value "2" for flag -retry-base`},
		"factor too large":    {newKey("--retry-factor", "11"), "--retry-factor: The factor between gaps must be 1 to 10"},
		"factor in words": {newKey("--retry-factor", "two"),
			`invalid value "two" for flag -retry-factor: it is not a whole number`},
		"jitter too long": {newKey("--retry-jitter", "2h"), "--retry-jitter: The jitter must be at most one hour"},
		"retries over a year": {newKey("--retry-base", "720h", "--retry-factor", "10"),
			"--retry-base: The last retry is more than one year after"},
		"past due how": {newKey("--past-due-billing", "half"),
			"--past-due-billing: `pastDueBilling` cannot be \"half\""},
		"patience too long": {newKey("--past-due-cancel-after", "366"),
			"--past-due-cancel-after: The days in past_due before a cancellation must be 1 to 365"},
		"reminder too early": {
			newKey("--renewal-reminder", "29"), "--renewal-reminder: `renewalReminderDays` must be 1 to 28",
		},
		"variable not set": {[]string{
			"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--stripe-secret-key-env", "sk_test_typed",
		}, "names an environment variable, and it is not set"},
		"webhook secret alone": {[]string{
			"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--stripe-webhook-secret-env", "X",
		}, "needs --stripe-secret-key-env"},
		"empty standard input": {[]string{
			"key", "create", "--tenant", "T", "--app", "A", "--mode", "test", "--stripe-secret-key-env", "-",
		}, "found no line on standard input"},
		"address of no URL": {[]string{"healthcheck", "--url", "http://a b"}, "--url: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := perennial(t, nil, c.args...)
			require.Equal(t, cli.ExitUsage, got.code, got.stderr)
			require.Contains(t, got.stderr, c.says)
			require.Empty(t, got.stdout, "what a script reads stays empty")
			require.NotContains(t, got.stderr, "sk_test_typed", "somebody typed the secret itself")
		})
	}
}

func TestUsage_FlagsAndArgumentsMix(t *testing.T) {
	t.Parallel()
	got := perennial(t, nil, "key", "revoke", "key_1", "--nonsense")
	require.Equal(t, cli.ExitUsage, got.code)
	require.Contains(t, got.stderr, "there is no flag --nonsense")
	got = perennial(t, nil, "key", "revoke", "--", "--nonsense", "key_1")
	require.Contains(t, got.stderr, "give the ID of one key", "after -- come arguments only")
}

func TestSettings_WrongAreListedAndExitWith1(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"api", "worker", "serve"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			got := perennial(t, map[string]string{"LOG_LEVEL": "loud", "PERENNIAL_KEK": "kek_short"}, command)
			require.Equal(t, cli.ExitFailed, got.code)
			for _, says := range []string{
				"the configuration has 4 faults", "DATABASE_URL is not set", "TEMPORAL_ADDRESS is not set", `LOG_LEVEL is "loud"`,
				"PERENNIAL_KEK (a secret, not shown)", "fix: ",
			} {
				require.Contains(t, got.stderr, says)
			}
			require.NotContains(t, got.stderr, "kek_short")
		})
	}
	got := perennial(t, map[string]string{"DATABASE_URL": "mysql://x"}, "migrate")
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, "does not begin with postgres://")
}

func TestFailpoints_UnknownStopStart(t *testing.T) {
	t.Parallel()
	got := perennial(t, map[string]string{
		"FAILPOINT": "charge.typo", "DATABASE_URL": "postgres://127.0.0.1:1/none", "TEMPORAL_ADDRESS": "127.0.0.1:1",
		"PERENNIAL_KEK": "kek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
	}, "worker")
	require.Equal(t, cli.ExitFailed, got.code)
	require.Contains(t, got.stderr, `there is no failpoint "charge.typo"`)
}

func TestStart_RefusedWithoutDatabase(t *testing.T) {
	t.Parallel()
	env := map[string]string{
		"DATABASE_URL": "postgres://somebody:hidden@127.0.0.1:1/none", "TEMPORAL_ADDRESS": "127.0.0.1:1",
		"PERENNIAL_KEK": "kek_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "METRICS_ADDRESS": "127.0.0.1:0",
		"LISTEN_ADDRESS": "127.0.0.1:0",
	}
	for _, args := range [][]string{{"serve"}, {"migrate"}, {"migrate", "--status"}, {"key", "list"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			t.Parallel()
			got := perennial(t, env, args...)
			require.Equal(t, cli.ExitFailed, got.code)
			require.Contains(t, got.stderr, "database_unavailable")
			require.NotContains(t, got.stderr, "hidden")
		})
	}
}

// Variables that name a user are not trusted.
func TestActor_IsTheUserOfTheOperatingSystem(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"SUDO_USER", "USER", "LOGNAME"} {
		p := &cli.Process{Lookup: func(n string) (string, bool) { return "ada", n == name }}
		require.Equal(t, "cli "+thisUser(t), p.Actor().String())
	}
}
