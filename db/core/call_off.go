package core

import (
	"context"
	"time"
)

// askAgain is the time after which a server that was asked to cancel, and continues, is asked again: a request that
// arrives between two statements of a batch is lost.
const askAgain = 500 * time.Millisecond

// callOffWith asks the server, once ctx ends, to give up the statement that it works on, from which the rest of the
// transaction fails too. Unlike hanging up, this is answered. The returned function ends it and must be called when the
// server has answered.
func (p *Pipe) callOffWith(ctx context.Context) (end func()) {
	answered, asked := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(asked)
		for {
			within, cancel := context.WithTimeout(context.WithoutCancel(ctx), rollbackTimeout)
			_ = p.conn.PgConn().CancelRequest(within) // best effort: the commit has its own bound
			cancel()
			select {
			case <-answered:
				return
			case <-time.After(askAgain):
			}
		}
	})
	return func() {
		close(answered)
		if stop() {
			return
		}
		<-asked
		// A request may still be under way, and would cancel the connection's next use.
		_ = p.conn.Close(context.WithoutCancel(ctx))
	}
}
