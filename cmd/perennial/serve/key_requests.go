package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/api"
)

// keyRequestsEvery is the pause between two exchanges of the numbers of requests of keys among the processes of the
// API: each can exceed a key's rate by what the key may do in a fifth of a second.
const keyRequestsEvery = 200 * time.Millisecond

// shareKeyRequests exchanges them until ctx ends. While the database is not available, each process limits alone.
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
