package devstack

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"path/filepath"
	"slices"
	"sync"
)

// FreePort returns preferred if it has no listener on the loopback address, else a port that is this process's own
// until it ends. 0 prefers none.
//
// A port that is only free at this moment is not enough: between its choice and the server's first answer, and while a
// killed server is down, sixteen installations that start at once would choose it a second time and talk to a stranger.
//
// It picks below the range from which the system takes the near ends of outgoing connections: a server that was killed
// must find its port free when it restarts, and a client that dials its dead server must not be given that very port
// and talk to itself.
func FreePort(preferred int) (int, error) {
	if preferred != 0 && portFree(preferred) {
		return preferred, nil
	}
	const low, high, tries = 16000, 32000, 200
	for range tries {
		if port := low + rand.IntN(high-low); reserve(port) && portFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port on 127.0.0.1 between %d and %d", low, high)
}

// reserved are the ports that this process was given, or found in use.
var reserved sync.Map

// reserve takes a port that was not given to this process or another.
func reserve(port int) bool {
	_, ours := reserved.LoadOrStore(port, nil)
	return !ours && !reservedElsewhere(port)
}

func portFree(port int) bool {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", loopback(port))
	return err == nil && l.Close() == nil
}

// ReservingPorts runs start while no other process of this user chooses a port that it likes: between the moment when a
// port is found free and the moment when a server listens there, two starts would choose the same one, and the second
// would then talk to the first one's server.
func ReservingPorts(ctx context.Context, start func() error) (err error) {
	c, err := userCache()
	if err != nil {
		return start() // no place for the lock; two starts rarely meet
	}
	if err := c.mkdir(c.dir); err != nil {
		return fmt.Errorf("directory for downloaded programs: %w", err)
	}
	held, err := lock(ctx, filepath.Join(c.dir, "ports.lock"), nil)
	if err != nil {
		return fmt.Errorf("wait until another start has chosen its ports: %w", err)
	}
	defer func() { err = errors.Join(err, held.release()) }()
	return start()
}

// startOn runs start with ports: the preferred ones where they are free. Others are reserved, so that no two processes
// get the same.
func startOn(ctx context.Context, liked []int, start func(ports []int) error) error {
	choose := func() error {
		ports := make([]int, len(liked))
		for i := range liked {
			var err error
			if ports[i], err = FreePort(liked[i]); err != nil {
				return err
			}
		}
		return start(ports)
	}
	if slices.Max(liked) == 0 {
		return choose()
	}
	return ReservingPorts(ctx, choose)
}
