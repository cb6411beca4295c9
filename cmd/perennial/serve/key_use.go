package serve

import (
	"context"
	"time"

	"perennial/api"
	"perennial/cmd/perennial/cli"
)

// keyUseEvery is the pause between two writes of the times at which keys were last used.
const keyUseEvery = time.Minute

// noteKeyUse writes it down until ctx ends, and then once more. A database that is away is in the log of every request.
func noteKeyUse(ctx context.Context, server *api.Server) {
	for ctx.Err() == nil {
		_ = cli.Pause(ctx, keyUseEvery) // cut short at the end, for the last time
		within, cancel := context.WithTimeout(context.WithoutCancel(ctx), keyUseEvery)
		_ = server.NoteKeyUse(within) // a failure loses a minute of a date for people
		cancel()
	}
}
