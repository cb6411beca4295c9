package dev

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestShellWord(t *testing.T) {
	t.Parallel()
	require.Equal(t, "/home/jo/.perennial/stack.env", shellWord("/home/jo/.perennial/stack.env"))
	require.Equal(t, "'/home/jo/my code/stack.env'", shellWord("/home/jo/my code/stack.env"))
	require.Equal(t, `'/home/jo'\''s/stack.env'`, shellWord("/home/jo's/stack.env"))
}
