package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/api"
)

// keyRequestsEvery is how often the processes of the API tell each other how many requests keys made: a fifth of a
// second of a key's rate is what each can grant beyond it.
const keyRequestsEvery = 200 * time.Millisecond

// shareKeyRequests tells them until ctx ends. While the database is away, each process limits by itself.
func (s *Server) shareKeyRequests(ctx context.Context, server *api.Server) {
	ticks := time.NewTicker(keyRequestsEvery)
	defer ticks.Stop()
	failing := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		within, cancel := context.WithTimeout(ctx, 10*keyRequestsEvery)
		err := server.ShareKeyRequests(within)
		cancel()
		if err != nil && !failing && ctx.Err() == nil {
			s.telemetry.Logger.Warn("the limits of API keys are not shared with other processes", zap.Error(err))
		}
		failing = err != nil
	}
}
