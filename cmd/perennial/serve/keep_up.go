package serve

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
)

// A process with an API handles every second what its own writes require, and every minute, first when it starts, what
// other processes have left.
const (
	keepUpEvery = time.Second
	keepUpAll   = 60 // every how many times it asks for what others have left
)

// keepUp does so until ctx ends. After a failure it asks for the rest as well; each failure is logged.
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
