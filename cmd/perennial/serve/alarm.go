package serve

import (
	"context"
	"time"

	"go.uber.org/zap"

	"perennial/cmd/perennial/backlog"
	"perennial/cmd/perennial/cli"
	"perennial/db"
)

// alarmEvery is the pause between two checks of the backlog by a process with an API, for installations without alerts.
const alarmEvery = 15 * time.Second

// alarm logs the faults of the backlog until ctx ends. Each fault is logged once a minute for as long as it lasts.
// Every process with an API does so: the processes do not know of each other, and a duplicate alarm is better than one
// that depends on a leader.
func (s *Server) alarm(ctx context.Context, store *db.Store, now func() time.Time) {
	said := &said{at: map[string]time.Time{}}
	for {
		within, cancel := context.WithTimeout(ctx, alarmEvery)
		b, err := store.Reconcile.Backlog(within, now(), backlog.Late)
		if err == nil { // a database that is away is in the log of every request
			_, refused := s.refusesWrites(within, store, b)
			b.Writable = refused == nil
			s.sound(b, refused, said, now())
			s.alarmOverlooked(within, store, said, now())
		}
		cancel()
		s.alarmWaiting(ctx, store, said, now())
		if cli.Pause(ctx, alarmEvery) != nil {
			return
		}
	}
}

// leftAlone is the time for which passed dates may be left alone: a pass of the reconciler handles them within a
// minute.
const leftAlone = 5 * time.Minute

// alarmOverlooked logs dates that have passed, that nothing waits for and that the reconciler does not see to.
func (s *Server) alarmOverlooked(ctx context.Context, store *db.Store, said *said, now time.Time) {
	found, err := store.Reconcile.OverlookedDates(ctx, now.Add(-leftAlone))
	if err != nil || len(found) == 0 || !said.again("overlooked", now) {
		return
	}
	for _, o := range found {
		s.telemetry.Logger.Error("dates have passed that nothing waits for: see that workers of the present build run and that the "+
			"reconciler finishes its passes; `perennial doctor` says more",
			zap.String("kind", o.Kind), zap.Int("count", o.Count), zap.Time("since", o.Oldest), zap.String("example", o.Example))
	}
}

// sound logs each fault that a backlog shows. refused is why the database takes no writes; nil: it does.
func (s *Server) sound(b db.Backlog, refused error, said *said, now time.Time) {
	for _, fault := range []struct {
		name, text string
		is         bool
		fields     []zap.Field
	}{
		{"read-only",
			"the database takes no writes, so nothing is billed: let DATABASE_URL lead to the primary, and see whether " +
				"its disk is full", !b.Writable, []zap.Field{zap.Error(refused)}},
		{"reconciler", "the reconciler finishes no pass, so that nothing left undone is found; `perennial doctor` says why",
			b.Writable && b.ReconciledAge > backlog.ReconciledWithin(s.config), []zap.Field{zap.Duration("since", b.ReconciledAge)}},
		{"erasures", "deleted customers are not erased yet, and nothing goes on; `perennial doctor` names the workflows",
			b.Erasures > 0, []zap.Field{zap.Int("count", b.Erasures), zap.Duration("oldest", b.ErasureAge)}},
	} {
		if fault.is && said.again(fault.name, now) {
			s.telemetry.Logger.Error(fault.text, fault.fields...)
		}
	}
}
