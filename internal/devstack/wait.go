package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strconv"
	"time"
)

// ErrInUse means that another process runs a server in the same directory.
var ErrInUse = errors.New("another process runs a server in this directory: stop it first")

// startDeadline is how long a server may take until it answers; crash recovery of a loaded database needs the most.
const startDeadline = 90 * time.Second

// pause waits, or returns the context's error.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// await asks until ready answers nil. It gives up when the process ends, when ctx is done or at the deadline, and then
// shows the last lines of the process's log, where the reason is.
func await(ctx context.Context, p *Process, ready func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, startDeadline)
	defer cancel()
	var last error
	for {
		if last = ready(ctx); last == nil {
			return nil
		}
		select {
		case <-p.Done():
			return fmt.Errorf("%s ended while starting (%w); its log %s ends with:\n%s", p.cfg.Name, orEnded(p.Err()), p.cfg.LogFile, p.Tail(20))
		default:
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%s does not answer (%w: %w); its log %s ends with:\n%s", p.cfg.Name, err, last, p.cfg.LogFile, p.Tail(20))
		}
	}
}

func orEnded(err error) error {
	if err == nil {
		return fmt.Errorf("exit status 0")
	}
	return err
}

// FreePort gives preferred if nobody listens there on the loopback address, else a port that is free at this moment.
// 0 prefers none.
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
		if port := low + rand.IntN(high-low); portFree(port) {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no free port on 127.0.0.1 between %d and %d", low, high)
}

func portFree(port int) bool {
	var lc net.ListenConfig
	l, err := lc.Listen(context.Background(), "tcp", loopback(port))
	return err == nil && l.Close() == nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// say writes one progress line; nobody listening is fine.
func say(w io.Writer, format string, args ...any) {
	if w == nil {
		return
	}
	_, _ = fmt.Fprintf(w, format+"\n", args...) // progress is a courtesy: a closed terminal must not stop a start
}
