package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Beside a worker that runs, with its very settings.
func TestBuildMakeCurrent_EndsAndTakesNoPort(t *testing.T) {
	t.Parallel()
	env := stackEnvironment(t)
	env["PERENNIAL_BUILD_ID"] = "one"
	create(t, env)
	one := start(t, env, "worker")
	eventually(t, "the first build is current", func() bool {
		d, _ := diagnose(t, env)
		return len(d.verdicts("worker version")) == 1 && d.verdicts("worker version")[0] == good
	})
	absent := perennial(t, env, "build", "make-current", "absent")
	require.Equal(t, exitFailed, absent.code, absent.stdout)
	require.Contains(t, absent.stderr, "absent of perennial did not become current")
	require.Equal(t, exitDone, one.stop().code)

	env["PERENNIAL_BUILD_ID"] = "two"
	two := start(t, env, "worker")
	eventually(t, "the second build takes the work", func() bool {
		return perennial(t, env, "build", "make-current").code == exitDone
	})
	d, _ := diagnose(t, env)
	require.Equal(t, []string{good}, d.verdicts("worker version"))
	require.Equal(t, exitDone, two.stop().code)
}
