package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/billing/fault"
	"perennial/db"
	"perennial/service"
)

// A process with an API merges what it has recorded every second, and asks for what others have left every minute, at
// first when it starts. Readers add what is not merged yet, so that this only bounds how much they add.
const (
	usageRollUpEvery = time.Second
	usageRollUpAll   = 60 // every how many times it asks for what others have left
)

// rollUpUsage merges until ctx ends. It runs beside Temporal, as ingestion does, and asks for nothing while no record
// comes.
func (s *server) rollUpUsage(ctx context.Context, use *service.Service, store *db.Store) {
	failed := false
	done := int64(-1) // nothing is left up to it
	for n := 0; pause(ctx, usageRollUpEvery) == nil; n++ {
		_, err := use.RollUpRecorded(ctx)
		if err == nil && (failed || n%usageRollUpAll == 0) {
			done, err = rollUpAll(ctx, use, store, done)
		}
		failed = err != nil
		if err != nil && ctx.Err() == nil {
			s.telemetry.Logger.Warn("usage could not be merged into its aggregates; readers count its records meanwhile",
				zap.String("code", fault.From(err).Code), zap.Error(err))
		}
	}
}

// rollUpAll merges what any process has recorded, unless nothing was since done, and returns up to where nothing is
// left.
func rollUpAll(ctx context.Context, use *service.Service, store *db.Store, done int64) (int64, error) {
	last, err := store.LastUsagePosition(ctx)
	if err != nil || last == done {
		return done, err
	}
	n, err := use.RollUpUsage(ctx)
	if err != nil || n > 0 { // records that were being written may be left
		return done, err
	}
	return last, nil
}
