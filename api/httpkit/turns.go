package httpkit

import (
	"context"
	"sync"
)

// turns serializes requests with the same Idempotency-Key in this process, so that a repeat waits here for its answer:
// without a connection to the database, and without counting as one more command. Repeats in two processes wait for
// each other at the row of their key. The zero value is ready.
type turns struct {
	mu    sync.Mutex
	lines map[turn]*line
}

// turn identifies requests that repeat each other; their bodies are compared once there is an answer.
type turn struct{ environmentID, route, key string }

type line struct {
	free   chan struct{} // holds one token while no request has the turn
	behind int           // requests in the line, with the one whose turn it is
}

// take waits for the caller's turn. met reports that there was another one before it, and waiting is called then. It
// ends with ctx. Fault: idempotency_in_flight.
func (t *turns) take(ctx context.Context, of turn, waiting func()) (leave func(), met bool, err error) {
	l, met := t.join(of)
	if met {
		waiting()
	}
	select {
	case <-l.free:
		return func() {
			l.free <- struct{}{}
			t.depart(of, l)
		}, met, nil
	case <-ctx.Done():
		t.depart(of, l)
		return nil, met, errInFlight
	}
}

func (t *turns) join(of turn) (l *line, met bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l, met = t.lines[of]
	if !met {
		if t.lines == nil {
			t.lines = map[turn]*line{}
		}
		l = &line{free: make(chan struct{}, 1)}
		l.free <- struct{}{}
		t.lines[of] = l
	}
	l.behind++
	return l, met
}

func (t *turns) depart(of turn, l *line) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if l.behind--; l.behind == 0 {
		delete(t.lines, of)
	}
}

// inTurn waits until no other request with the caller's key runs here, and returns the answer of an earlier one, if
// there was one. A request without a key has no repeats.
func (k *Kit) inTurn(ctx context.Context, c *Call) (leave func(), before *stored, err error) {
	if c.repeat == nil {
		return func() {}, nil, nil
	}
	within, cancel := context.WithTimeout(ctx, k.bounds.InFlight)
	defer cancel()
	leave, met, err := k.turns.take(within, turn{c.EnvironmentID, c.repeat.route, c.repeat.key}, func() { c.seat.Leave() })
	if err != nil || !met {
		return leave, nil, err
	}
	before, err = k.answered(ctx, c)
	if err == nil && before == nil { // the first one was refused for a moment: this one is worked for
		err = c.seat.Take(ctx)
	}
	if err != nil {
		leave()
		return nil, nil, err
	}
	return leave, before, nil
}
