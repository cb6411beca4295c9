package devstack

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFreePort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	taken := l.Addr().(*net.TCPAddr).Port
	got, err := FreePort(taken)
	require.NoError(t, err)
	require.NotEqual(t, taken, got)

	_, err = choosePort(taken)
	require.ErrorContains(t, err, "in use by another program")

	require.NoError(t, l.Close())
	got, err = FreePort(taken)
	require.NoError(t, err)
	require.Equal(t, taken, got)
}
