package devstack

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
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

// portsWanted makes the test's own binary the second process of TestFreePort_GivesNoPortTwice.
const portsWanted = "PERENNIAL_TEST_PORTS"

// Sixteen installations choose their ports before any of them listens, as the end-to-end tests do.
func TestFreePort_GivesNoPortTwice(t *testing.T) {
	t.Parallel()
	const each = 1000 // by chance alone, of 16,000 ports, two of these meet as good as always
	if os.Getenv(portsWanted) != "" {
		for range each {
			port, err := FreePort(0)
			require.NoError(t, err)
			fmt.Println("port", port)
		}
		_, err := io.Copy(io.Discard, os.Stdin) // reserved until the other process has chosen
		require.NoError(t, err)
		return
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), portsWanted+"=1")
	stdin, err := other.StdinPipe()
	require.NoError(t, err)
	stdout, err := other.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, other.Start())
	given, lines := map[int]bool{}, bufio.NewScanner(stdout)
	for len(given) < each && lines.Scan() {
		var port int
		if _, err := fmt.Sscanf(lines.Text(), "port %d", &port); err == nil {
			require.False(t, given[port])
			given[port] = true
		}
	}
	require.Len(t, given, each)
	for range each {
		port, err := FreePort(0)
		require.NoError(t, err)
		require.False(t, given[port], "port %d was given twice", port)
		given[port] = true
	}
	require.NoError(t, stdin.Close())
	require.NoError(t, other.Wait())
}
