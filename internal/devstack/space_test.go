package devstack

import (
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRequireSpace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, RequireSpace(dir, 1))
	if runtime.GOOS == "linux" {
		require.ErrorContains(t, RequireSpace(dir, math.MaxUint64), "the disk of "+dir+" has ")
	}
}
