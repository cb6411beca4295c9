package usecase

import (
	"sync"
	"time"

	"perennial/billing/fault"
)

// commandsAtOnce bounds the commands of one subscription, or customer, that a process works on at the same time. They
// wait for each other at its row, each with a connection to the database in hand.
const commandsAtOnce = 8

// ErrTooManyCommands refuses a command before any work is done for it.
var ErrTooManyCommands = fault.New(fault.RateLimited, "too_many_commands",
	"Too many requests change this subscription or customer at the same time. Repeat the request in a moment.",
).After(time.Second)

// Gate lets a bounded number of commands of each subscription and customer in. The zero value is ready.
type Gate struct {
	mu   sync.Mutex
	busy map[string]int
}

// Enter returns what ends the caller's turn. Fault: too_many_commands.
func (g *Gate) Enter(id string) (leave func(), err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.busy == nil {
		g.busy = map[string]int{}
	}
	if g.busy[id] >= commandsAtOnce {
		return nil, ErrTooManyCommands
	}
	g.busy[id]++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.busy[id]--; g.busy[id] == 0 {
			delete(g.busy, id)
		}
	}, nil
}
