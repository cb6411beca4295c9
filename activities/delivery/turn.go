package delivery

import (
	"context"
	"time"

	"perennial/activities/execution"
	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/db"
)

// recordingsAtOnce bounds the recordings of one run that wait for it without holding the recorder up.
const recordingsAtOnce = 64

// turn has ended attempts and beginning ones written; an attempt is sent once its beginning is written.
func (r *run) turn(ctx context.Context) error {
	starting := r.startable(ctx)
	if len(starting) == 0 && len(r.finished) == 0 && len(r.stale) == 0 {
		return nil
	}
	for _, t := range starting {
		r.flying[t.due.State.ID], r.known[t.due.State.ID] = t, true
	}
	ends, failing, disable := r.judge()
	if disable != "" || failing.IsZero() != r.endpoint.FailingSince.IsZero() {
		return r.turnHealth(ctx, starting)
	}
	r.submit(r.recording(ends, starting))
	return nil
}

// submit passes ended and beginning attempts to the recorder.
func (r *run) submit(e *recording) {
	e.withdrawn = r.stale
	r.finished, r.stale = nil, nil
	r.writing++
	r.enqueue(e)
}

func (r *run) recording(ends []db.AttemptEnd, starting []attempt) *recording {
	e := &recording{
		environmentID: r.endpoint.EnvironmentID, finished: r.finished, ends: ends, starting: starting, done: r.written,
	}
	for _, t := range starting {
		e.starts = append(e.starts, db.NewAttempt{
			AttemptStart: t.start, EndpointID: r.endpoint.ID, Revision: r.endpoint.Revision,
		})
	}
	return e
}

// judge returns how the finished attempts end, since when the endpoint fails, and why that disables it. The first
// attempt that disables it decides, whatever the others say. An empty reason: it is not disabled.
func (r *run) judge() (ends []db.AttemptEnd, failing time.Time, disable delivery.DisabledReason) {
	failing = r.endpoint.FailingSince
	for _, a := range r.finished {
		end := r.end(a)
		ends = append(ends, end)
		if disable == "" {
			failing, disable = delivery.Health(failing, end.End, end.Next)
		}
	}
	return ends, failing, disable
}

// wait waits for an attempt to end, for a recording to be written, or for slots; slow: an attempt has lasted so long
// that the fast lane must be left.
func (r *run) wait(ctx context.Context) (slow bool, err error) {
	patience, stop := r.patience()
	defer stop()
	select {
	case a := <-r.ended:
		r.landed(a)
	case e := <-r.written:
		return false, r.took(ctx, e)
	case slots := <-r.granted():
		r.asked.granted <- slots // there is room: it was taken from there
	case <-patience:
		r.slow = true
		return true, nil
	case <-r.idleStop(ctx):
		return false, nil
	}
	for {
		select {
		case a := <-r.ended:
			r.landed(a)
		default:
			r.send(ctx)
			return false, nil
		}
	}
}

// idleStop is closed when a run that only waits for slots is to end.
func (r *run) idleStop(ctx context.Context) <-chan struct{} {
	if len(r.flying) > 0 || r.writing > 0 {
		return nil
	}
	return execution.Stopping(ctx)
}

// patience returns a channel that fires when an attempt has been under way for too long for the fast lane; nil: never.
func (r *run) patience() (<-chan time.Time, func() bool) {
	var oldest time.Time
	for _, t := range r.flying {
		if !t.began.IsZero() && (oldest.IsZero() || t.began.Before(oldest)) {
			oldest = t.began
		}
	}
	if !r.fastLane || r.closing || oldest.IsZero() {
		return nil, func() bool { return false }
	}
	timer := time.NewTimer(max(r.slowAfter()-r.Clock().Sub(oldest), 0))
	return timer.C, timer.Stop
}

// took processes a written recording, and sends the attempts that have begun.
func (r *run) took(ctx context.Context, e *recording) error {
	r.writing--
	if e.err != nil {
		r.finished, r.stale = append(r.finished, e.finished...), append(r.stale, e.withdrawn...)
		r.forget(e.starting)
		return e.err
	}
	r.observe(ctx, e)
	r.forget(e.withdrawn)
	for _, t := range e.starting {
		if !e.begun[t.due.State.ID] {
			r.forget([]attempt{t}) // the signal of the change begins another run, with the URL and secrets of now
			continue
		}
		t.ready = r.Clock()
		r.ready = append(r.ready, t)
	}
	r.send(ctx)
	return nil
}

// forget removes attempts that do not begin. Due deliveries are read again, since theirs come first.
func (r *run) forget(attempts []attempt) {
	for _, t := range attempts {
		delete(r.flying, t.due.State.ID)
		delete(r.known, t.due.State.ID)
		t.slot()
		r.due = nil
	}
}

// landed processes an ended attempt and adapts the window: an endpoint that has just failed is tried carefully.
func (r *run) landed(a answered) {
	delete(r.flying, a.start.DeliveryID)
	r.posting--
	r.finished, r.latency = append(r.finished, a), a.result.Latency
	quick := a.result.Latency < r.slowAfter()
	switch {
	case !a.result.Delivered():
		r.window = 1
		r.slow = r.slow && !quick || !quick
	case quick:
		r.window, r.slow = min(r.window+1, endpointInFlight), false
	default:
		r.window, r.slow = min(r.window+1, slowInFlight), true
	}
}

// turnHealth is a turn that changes since when the endpoint fails, or disables it. It runs alone, since it locks the
// endpoint's row, and after all pending writes, so that the newest attempt decides.
func (r *run) turnHealth(ctx context.Context, starting []attempt) error {
	for r.writing > 0 {
		if err := r.took(ctx, <-r.written); err != nil {
			r.forget(starting)
			return err
		}
	}
	ends, failing, disable := r.judge()
	if failing.IsZero() == r.endpoint.FailingSince.IsZero() && disable == "" {
		r.submit(r.recording(ends, starting))
		return nil
	}
	e, env, disabled := r.recording(ends, nil), r.endpoint.EnvironmentID, false
	err := r.Store.InTx(context.WithoutCancel(ctx), r.by, r.Clock(), func(tx *db.Tx) error {
		// The endpoint before its deliveries, in which order redeliveries lock them.
		disabled = false
		if disable != "" {
			var err error
			if disabled, err = giveUp(ctx, tx, r.endpoint, disable, failing); err != nil {
				return err
			}
		}
		if failing.IsZero() != r.endpoint.FailingSince.IsZero() && !disabled {
			if err := tx.Webhooks.SetEndpointFailing(ctx, env, r.endpoint.ID, failing); err != nil {
				return err
			}
		}
		return tx.Webhooks.EndAttempts(ctx, env, ends)
	})
	if err != nil {
		r.forget(starting)
		return err
	}
	r.endpoint.FailingSince, r.sum.FailingSince = failing, failing
	r.finished = nil
	r.observe(ctx, e)
	if disabled {
		r.endpoint.Status = delivery.EndpointDisabled
		r.Observer.EndpointDisabled(ctx, env, r.endpoint.ID, disable, failing)
		r.forget(starting) // no attempt begins together with the failure that disables
		starting = nil
	}
	if len(starting) > 0 || len(r.stale) > 0 {
		r.submit(r.recording(nil, starting))
	}
	return nil
}

// giveUp disables an endpoint and announces it, unless it was disabled or changed meanwhile, or an attempt succeeded:
// an attempt before a change proves nothing about the endpoint's new URL. The event wakes the other endpoints, so that
// all are locked in their order.
func giveUp(
	ctx context.Context, tx *db.Tx, endpoint db.WebhookEndpoint, reason delivery.DisabledReason, failing time.Time,
) (bool, error) {
	env := endpoint.EnvironmentID
	if err := tx.Webhooks.LockEndpoints(ctx, env); err != nil {
		return false, err
	}
	e, err := tx.Webhooks.LockEndpoint(ctx, env, endpoint.ID)
	if err != nil || e.Revision != endpoint.Revision || !e.GiveUp(reason, failing, tx.Real) {
		return false, ignoreGone(err)
	}
	change := db.EndpointChange{Action: db.EndpointDisabled, Reason: reason}
	if err := tx.Webhooks.SaveEndpoint(ctx, env, e, change); err != nil {
		return false, err
	}
	announced := event.WebhookEndpointDisabled{ID: e.ID, Reason: string(reason), FailingSince: e.FailingSince.Unix()}
	return true, tx.Emit(ctx, env, event.New(announced, tx.Real))
}
