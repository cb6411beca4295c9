package main

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
)

// A process with an API merges what it has recorded every second, and asks for what others have left every minute, at
// first when it starts. Readers add what is not merged yet, so that this only bounds how much they add.
const (
	usageRollUpEvery = time.Second
	usageRollUpAll   = 60 // every how many times it asks for what others have left
)

// usageMerger merges usage into its aggregates: service.Service.
type usageMerger interface {
	RollUpRecorded(ctx context.Context) (int, error)
	RollUpUsage(ctx context.Context) (int, error)
}

// rollUpUsage merges until ctx ends. It runs beside Temporal, as ingestion does. What is left is asked for also while
// nothing is recorded, since a new version of a metric counts what was recorded before it, and also after a failure,
// since one metric that cannot be merged must not delay the others.
func (s *server) rollUpUsage(ctx context.Context, use usageMerger) {
	for n := 0; pause(ctx, usageRollUpEvery) == nil; n++ {
		_, err := use.RollUpRecorded(ctx)
		if n%usageRollUpAll == 0 {
			_, left := use.RollUpUsage(ctx)
			err = errors.Join(err, left)
		}
		if err != nil && ctx.Err() == nil {
			s.telemetry.Logger.Warn("usage could not be merged into its aggregates; readers count its records meanwhile",
				zap.String("code", fault.From(err).Code), zap.Error(err))
		}
	}
}
