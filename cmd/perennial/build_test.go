package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"perennial/cmd/perennial/cli"
)

// Beside a worker that runs, with its very settings.
func TestBuildMakeCurrent_EndsAndTakesNoPort(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["PERENNIAL_BUILD_ID"] = "one"
	create(t, env)
	one := start(t, env, "worker")
	works := func() bool {
		d, _ := diagnose(t, env)
		return slices.Equal(d.verdicts("worker version"), []string{good})
	}
	eventually(t, "the first build is current", works)
	absent := perennial(t, env, "build", "make-current", "absent")
	require.Equal(t, cli.ExitFailed, absent.code, absent.stdout)
	require.Contains(t, absent.stderr, "absent of perennial did not become current")
	require.Equal(t, cli.ExitDone, one.stop().code)

	env["PERENNIAL_BUILD_ID"] = "two"
	two := start(t, env, "worker")
	eventually(t, "the second build takes the work", func() bool {
		return perennial(t, env, "build", "make-current").code == cli.ExitDone
	})
	// Temporal may see its pollers before its first heartbeat is written
	eventually(t, "the second build is at work", works)
	require.Equal(t, cli.ExitDone, two.stop().code)
}
