package worker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"perennial/activities"
)

const (
	beatEvery   = activities.BeatEvery
	watchWithin = 4 * time.Second // bounds one beat with its look
	// stoppedFor is the time for which work may wait for a current build before that is a fault: a rolling update has a
	// moment between two builds.
	stoppedFor = 10 * time.Second
	// sayAgain is the pause between two log lines about a lasting fault.
	sayAgain = time.Minute
)

// watch has what a worker knows about the routing of new work.
type watch struct {
	mu      sync.Mutex
	stopped time.Time // since when no worker takes work; zero: one does, as far as is known
	fault   error     // set when that has lasted for too long
	said    time.Time // when the fault was last logged
}

// Ready reports why this worker, or any other, gets no work. It is nil until that is certain.
func (w *Worker) Ready() error {
	w.watch.mu.Lock()
	defer w.watch.mu.Unlock()
	return w.watch.fault
}

// attend writes beats until ctx ends, and watches that the build which gets new work has workers.
func (w *Worker) attend(ctx context.Context) {
	defer w.leave(ctx)
	for {
		w.attendOnce(ctx)
		if pause(ctx, beatEvery); ctx.Err() != nil {
			return
		}
	}
}

func (w *Worker) attendOnce(ctx context.Context) {
	within, cancel := context.WithTimeout(ctx, watchWithin)
	defer cancel()
	err := w.config.Activities.Beat(within, w.id, w.config.Deployment, w.config.BuildID)
	if err != nil && ctx.Err() == nil {
		w.config.Logger.Warn("failed to write the heartbeat of this worker", zap.Error(err))
	}
	if w.config.BuildID == "" { // unversioned workers get work from every queue that they poll
		return
	}
	d, err := Dispatching(within, w.config.Client, w.config.Namespace, w.config.Activities, w.now())
	if err != nil { // Temporal or PostgreSQL is not available, which other parts report; the last knowledge stays
		w.config.Logger.Debug("who gets new work is not known", zap.Error(err))
		return
	}
	if d.Deployment == w.config.Deployment && d.BuildID == w.config.BuildID {
		d.Working = max(d.Working, 1) // this one
	}
	w.learn(d, w.now())
}

// learn records the result of one look, and logs a change.
func (w *Worker) learn(d Dispatch, now time.Time) {
	w.watch.mu.Lock()
	defer w.watch.mu.Unlock()
	if !d.Stopped() {
		if w.watch.fault != nil {
			w.config.Logger.Info("the worker takes work again", zap.String("current", d.BuildID),
				zap.Duration("after", now.Sub(w.watch.stopped)))
		}
		w.watch.stopped, w.watch.fault = time.Time{}, nil
		return
	}
	if w.watch.stopped.IsZero() {
		w.watch.stopped = now
	}
	if now.Sub(w.watch.stopped) < stoppedFor {
		return
	}
	w.watch.fault = d.fault(w.config.Deployment)
	if now.Sub(w.watch.said) >= sayAgain {
		w.watch.said = now
		w.config.Logger.Error(w.watch.fault.Error(), zap.String("current", d.BuildID),
			zap.Duration("for", now.Sub(w.watch.stopped)))
	}
}

// fault returns an error that says that nothing is billed, and what to do.
func (d Dispatch) fault(deployment string) error {
	if d.BuildID == "" {
		return fmt.Errorf("nothing is billed: no build of the deployment %s is current, so no worker gets work; "+
			"run `perennial build make-current`", deployment)
	}
	return fmt.Errorf("nothing is billed: Temporal sends all work to build %s of %s, which has no workers; "+
		"run `perennial build make-current BUILD` with the build that shall work, or start workers of %s again",
		d.BuildID, d.Deployment, d.BuildID)
}

// Fault returns nil while a worker takes new work.
func (d Dispatch) Fault(deployment string) error {
	if !d.Stopped() {
		return nil
	}
	return d.fault(deployment)
}

// leave records that this process takes no new work, so that others need not wait for its beats to grow old.
func (w *Worker) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watchWithin)
	defer cancel()
	if err := w.config.Activities.Leave(ctx, w.id); err != nil {
		w.config.Logger.Warn("failed to write the end of this worker; it counts as running for 20 s more", zap.Error(err))
	}
}
