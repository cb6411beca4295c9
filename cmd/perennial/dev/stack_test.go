package dev

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A build is named by its content: two compilations are two versions, whatever the commit says.
func TestBuildID_FollowsContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	require.NoError(t, os.WriteFile(path, []byte("one"), 0o600))
	one, err := buildOf(path, nil)
	require.NoError(t, err)
	require.Regexp(t, "^dev-[0-9a-f]{12}$", one)
	require.NoError(t, os.WriteFile(path, []byte("two"), 0o600))
	two, err := buildOf(path, nil)
	require.NoError(t, err)
	require.NotEqual(t, one, two)
}
