package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// ErrInUse means that another process runs a server in the same directory.
var ErrInUse = errors.New("another process runs a server in this directory: stop it first")

// startDeadline is the time in which a server must answer; crash recovery of a loaded database needs the most.
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

// await polls until ready returns nil. It gives up when the process ends, when ctx is done or at the deadline, and then
// shows the last lines of the process's log, which have the reason.
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
			return fmt.Errorf("%s ended while starting (%w); its log %s ends with:\n%s",
				p.cfg.Name, orEnded(p.Err()), p.cfg.LogFile, p.Tail(20))
		default:
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return fmt.Errorf("%s does not answer (%w: %w); its log %s ends with:\n%s",
				p.cfg.Name, err, last, p.cfg.LogFile, p.Tail(20))
		}
	}
}

func orEnded(err error) error {
	if err == nil {
		return fmt.Errorf("exit status 0")
	}
	return err
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// say writes one progress line; w may be nil.
func say(w io.Writer, format string, args ...any) {
	if w == nil {
		return
	}
	_, _ = fmt.Fprintf(w, format+"\n", args...) // progress is a courtesy: a closed terminal must not stop a start
}
