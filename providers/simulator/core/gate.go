package core

import (
	"context"
	"errors"
	"net"
	"sync"
)

// Listen opens the address the simulator serves. Its listener can be shut from /_simulator/outage, so that clients meet
// a closed port and not an HTTP answer: the one failure that proves that nothing was sent.
func (s *Server) Listen(address string) (net.Listener, error) {
	return s.gate.listen(address)
}

// gate is a listener that can disappear from its port and come back.
type gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	address net.Addr
	closing context.Context // ends with the server
	closed  bool
	conns   map[net.Conn]bool
	inner   net.Listener // nil while shut
}

func newGate(closing context.Context) *gate {
	g := &gate{closing: closing, conns: map[net.Conn]bool{}}
	g.changed = sync.NewCond(&g.mu)
	return g
}

func (g *gate) listen(address string) (net.Listener, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.address != nil {
		return nil, errors.New("the simulator listens already on " + g.address.String())
	}
	inner, err := new(net.ListenConfig).Listen(g.closing, "tcp", address)
	if err != nil {
		return nil, err
	}
	g.inner, g.address = inner, inner.Addr()
	return g, nil
}

// shut closes the port and every connection except the one named, over which the command came.
func (g *gate) shut(except string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inner == nil {
		return
	}
	_ = g.inner.Close()
	g.inner = nil
	for c := range g.conns {
		if c.RemoteAddr().String() != except {
			_ = c.Close()
		}
	}
}

// open takes the port back. The error is the caller's to repeat: another process may hold the port for a moment.
func (g *gate) open() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inner != nil || g.address == nil || g.closed {
		return nil
	}
	inner, err := new(net.ListenConfig).Listen(g.closing, "tcp", g.address.String())
	if err != nil {
		return err
	}
	g.inner = inner
	g.changed.Broadcast()
	return nil
}

// Accept waits while the gate is shut.
func (g *gate) Accept() (net.Conn, error) {
	for {
		g.mu.Lock()
		for g.inner == nil && !g.closed {
			g.changed.Wait()
		}
		inner, closed := g.inner, g.closed
		g.mu.Unlock()
		if closed {
			return nil, net.ErrClosed
		}
		c, err := inner.Accept()
		g.mu.Lock()
		switch {
		case err == nil && g.inner == inner:
			g.conns[c] = true
			g.mu.Unlock()
			return &gatedConn{Conn: c, gate: g}, nil
		case err == nil: // accepted while the gate was closing
			_ = c.Close()
		case g.inner == inner && !g.closed:
			g.mu.Unlock()
			return nil, err
		}
		g.mu.Unlock()
	}
}

// Close ends listening for good.
func (g *gate) Close() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	g.changed.Broadcast()
	if g.inner == nil {
		return nil
	}
	err := g.inner.Close()
	g.inner = nil
	return err
}

// Addr is the address also while the gate is shut.
func (g *gate) Addr() net.Addr { return g.address }

type gatedConn struct {
	net.Conn
	gate *gate
}

func (c *gatedConn) Close() error {
	c.gate.mu.Lock()
	delete(c.gate.conns, c.Conn)
	c.gate.mu.Unlock()
	return c.Conn.Close()
}
