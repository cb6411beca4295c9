package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestOptions(t *testing.T) {
	t.Parallel()
	o, err := parse([]string{"--scale", "full", "--only", "get,storm", "--temporal", "dev"}, time.Now())
	require.NoError(t, err)
	require.Equal(t, []string{"get", "storm"}, o.only)
	require.Equal(t, []string{"dev"}, o.temporal)
	require.Equal(t, 3, o.Rounds)
	for _, wrong := range [][]string{
		{"--scale", "huge"}, {"--only", "got"}, {"--temporal", "cloud"}, {"--rounds", "-1"}, {"more"},
	} {
		_, err := parse(wrong, time.Now())
		require.Error(t, err, "%v", wrong)
	}
}
