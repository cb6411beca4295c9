package main

import (
	"os/exec"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"perennial/internal/testkit"
	"perennial/internal/testkit/wait"
)

// Not parallel: it says in the environment that both servers run elsewhere.
func TestRun_EndsWithTheProcessItBelongsTo(t *testing.T) {
	t.Setenv(testkit.EnvDatabaseURL, "postgres://elsewhere")
	t.Setenv(testkit.EnvTemporalAddress, "elsewhere")
	owner := exec.CommandContext(t.Context(), "sleep", "1000")
	require.NoError(t, owner.Start())
	ended := make(chan error, 1)
	go func() {
		_, err := run([]string{"sleep", "1000"}, nil, owner.Process.Pid)
		ended <- err
	}()
	select {
	case <-ended:
		require.Fail(t, "it ended while its owner lives")
	case <-time.After(1500 * time.Millisecond):
	}
	require.NoError(t, owner.Process.Kill())
	_ = owner.Wait() // it was killed
	select {
	case err := <-ended:
		require.NoError(t, err)
	case <-time.After(wait.Patience):
		require.Fail(t, "it outlives its owner")
	}
}
