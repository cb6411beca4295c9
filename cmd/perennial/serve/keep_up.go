package serve

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/cmd/perennial/cli"
)

// A process with an API handles every second the follow-up work of its own writes, and every minute, first when it
// starts, that left by other processes.
const (
	keepUpEvery = time.Second
	keepUpAll   = 60 // in every how many rounds it looks for work left by others
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
