package serve

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
)

// A process with an API does every second what follows from its own writes, and asks every minute for what other
// processes have left, at first when it starts.
const (
	keepUpEvery = time.Second
	keepUpAll   = 60 // every how many times it asks for what others have left
)

// keepUp does so until ctx ends. What is left is asked for also after a failure; each one is told in the log.
func (s *Server) keepUp(ctx context.Context, own, left func(context.Context) (int, error), failed string) {
	for n := 0; cli.Pause(ctx, keepUpEvery) == nil; n++ {
		_, err := own(ctx)
		if n%keepUpAll == 0 {
			_, more := left(ctx)
			err = errors.Join(err, more)
		}
		if err != nil && ctx.Err() == nil {
			s.telemetry.Logger.Warn(failed, zap.String("code", fault.From(err).Code), zap.Error(err))
		}
	}
}
