package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/service"
)

// usageRollUpEvery is how often a process with an API merges new records into the running aggregates. Readers add what is
// not merged yet, so that it only bounds how much they add.
const usageRollUpEvery = time.Second

// rollUpUsage merges until ctx ends. It runs beside Temporal, as ingestion does, and asks for nothing while no record
// comes.
func (s *server) rollUpUsage(ctx context.Context, use *service.Service, store *db.Store) {
	done := int64(-1)
	for pause(ctx, usageRollUpEvery) == nil {
		last, err := store.LastUsagePosition(ctx)
		if err == nil && last == done {
			continue
		}
		if err == nil {
			_, err = use.RollUpUsage(ctx)
		}
		switch {
		case err == nil:
			done = last
		case ctx.Err() == nil:
			s.telemetry.Logger.Warn("usage could not be merged into its aggregates; readers count its records meanwhile",
				zap.String("code", fault.From(err).Code), zap.Error(err))
		}
	}
}
