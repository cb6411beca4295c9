package devstack

import (
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

func TestFreePort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	taken := l.Addr().(*net.TCPAddr).Port
	got, err := FreePort(taken)
	require.NoError(t, err)
	require.NotEqual(t, taken, got)

	require.NoError(t, l.Close())
	got, err = FreePort(taken)
	require.NoError(t, err)
	require.Equal(t, taken, got)
}

// Two clones start at once: both like the same port, and only one may find it free.
func TestStartOn_SamePort(t *testing.T) {
	t.Parallel()
	liked, err := FreePort(0)
	require.NoError(t, err)
	var starts errgroup.Group
	for range 4 {
		starts.Go(func() error {
			return startOn(t.Context(), []int{liked, 0}, func(ports []int) error {
				time.Sleep(20 * time.Millisecond) // a server takes its time until it listens
				l, err := net.Listen("tcp", loopback(ports[0]))
				if err != nil {
					return err
				}
				t.Cleanup(func() { require.NoError(t, l.Close()) })
				return nil
			})
		})
	}
	require.NoError(t, starts.Wait())
}
