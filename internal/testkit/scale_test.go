package testkit

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Not parallel: they set the environment.

func TestScale_FollowsSoak(t *testing.T) {
	t.Setenv(EnvSoak, "")
	require.Equal(t, 3, Scale(3, 50))
	t.Setenv(EnvSoak, "1")
	require.Equal(t, 50, Scale(3, 50))
}

func TestSeed_Replays(t *testing.T) {
	t.Setenv(EnvSeed, "")
	first, second := Seed(t), Seed(t)
	require.NotEqual(t, first, second)
	t.Setenv(EnvSeed, "42")
	require.Equal(t, uint64(42), Seed(t))
}
