package activities

import (
	"context"
	"errors"
	"slices"
	"time"

	"perennial/billing/delivery"
	"perennial/billing/event"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
)

// run delivers to one endpoint. Its loop is the only one that touches its state; attempts are made beside it. One
// transaction records the attempts that ended and writes those that begin, so that under load it serves several.
type run struct {
	*Deliveries
	endpoint db.WebhookEndpoint
	secrets  []string
	by       db.Actor
	slow     bool // on the slow lane, or found slow
	fastLane bool

	until    time.Time // takes new work up to then
	since    int64     // position of the last event that may have found the endpoint awake
	due      []db.DueDelivery
	flying   map[string]attempt
	window   int // attempts at a time: it grows with answers that come fast
	refused  int // how often in a row the app had not enough slots
	ended    chan answered
	finished []answered // not recorded yet
	sum      contract.DeliverOutput
	leaving  bool // the activity has ended
}

func (a *Deliveries) newRun(ctx context.Context, e db.WebhookEndpoint, slow bool) (*run, error) {
	secrets, err := a.Secrets.EndpointSecrets(e, a.Clock())
	if err != nil {
		return nil, err
	}
	r := &run{
		Deliveries: a, endpoint: e, secrets: secrets, by: workflowOf(ctx), slow: slow, fastLane: !slow, window: 1,
		until: a.Clock().Add(runTakes), flying: map[string]attempt{}, ended: make(chan answered, endpointInFlight),
		sum: contract.DeliverOutput{FailingSince: e.FailingSince},
	}
	if _, r.since, err = a.Store.EventHorizon(ctx, e.EnvironmentID); err != nil {
		return nil, err
	}
	return r, r.closeLost(ctx)
}

// deliver works until nothing is due, the time is up, the worker ends or the receiver is slow.
func (r *run) deliver(ctx context.Context) error {
	defer func() {
		if len(r.flying) > 0 || len(r.finished) > 0 {
			r.leaveBehind(ctx)
		}
	}()
	for lull := 0; ; {
		if r.takes(ctx) && len(r.due) == 0 {
			if err := r.look(ctx); err != nil {
				return err
			}
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
		switch {
		case len(r.flying) > 0:
			lull = 0
			if !r.wait() {
				return nil
			}
		case !r.takes(ctx): // before it has seen that nothing more is due: a worker that ends leaves the rest to another
			r.sum.NextAt = r.Clock()
			return nil
		case len(r.due) > 0: // the app has its slots taken
			r.refused++
			wait(ctx, lulls[0])
		case lull < len(lulls):
			wait(ctx, lulls[lull])
			lull++
		default:
			return r.lastLook(ctx)
		}
	}
}

// takes reports whether new attempts may begin.
func (r *run) takes(ctx context.Context) bool {
	select {
	case <-stopping(ctx):
		return false
	default:
	}
	return ctx.Err() == nil && r.Clock().Before(r.until) && r.endpoint.Status == delivery.EndpointEnabled
}

// look reads what is due: nothing, once the endpoint has been changed, whose signal begins another run.
func (r *run) look(ctx context.Context) (err error) {
	e := r.endpoint
	r.due, err = r.Store.DueDeliveries(ctx, e.EnvironmentID, e.ID, e.Revision, r.Clock(), dueBatch)
	return err
}

// lastLook ends the run where nothing is owed. A writer that found the endpoint awake has signalled nobody, and may not
// have committed yet: all who began before our mark was cleared must be decided first.
func (r *run) lastLook(ctx context.Context) error {
	horizon, _, err := r.Store.EventHorizon(ctx, r.endpoint.EnvironmentID)
	if err != nil {
		return err
	}
	if horizon < r.since {
		r.sum.NextAt = r.Clock().Add(settlePause)
		return nil
	}
	if err = r.look(ctx); err == nil && len(r.due) > 0 {
		r.sum.NextAt = r.Clock()
	}
	return err
}

// startable takes from what is due as many as may begin now, in order: a first attempt waits for the one before it of
// the same key.
func (r *run) startable(ctx context.Context) []attempt {
	if !r.takes(ctx) {
		return nil
	}
	want := len(r.next(r.window - len(r.flying)))
	if want == 0 {
		return nil
	}
	slots := r.apps.take(r.endpoint.AppID, want, want>>(r.refused/refusals))
	if len(slots) == 0 {
		return nil
	}
	r.refused = 0
	var starting []attempt
	begins := map[string]bool{}
	for i, d := range r.next(len(slots)) {
		begins[d.State.ID] = true
		starting = append(starting, attempt{
			start: db.AttemptStart{DeliveryID: d.State.ID, Number: d.LastAttempt + 1, Manual: d.State.Redelivery},
			due:   d, began: r.Clock(), slot: slots[i],
		})
	}
	r.due = slices.DeleteFunc(r.due, func(d db.DueDelivery) bool { return begins[d.State.ID] })
	return starting
}

// next is what may begin next, at most n.
func (r *run) next(n int) (next []db.DueDelivery) {
	held := map[string]bool{}
	for _, t := range r.flying {
		held[t.holdsKey()] = true
	}
	for _, d := range r.due {
		if len(next) >= n {
			break
		}
		key := holds(d)
		if key == "" || !held[key] {
			held[key] = true
			next = append(next, d)
		}
	}
	return next
}

// turn records what has ended and begins what may begin, in one transaction, and then sends.
func (r *run) turn(ctx context.Context) error {
	starting := r.startable(ctx)
	if len(starting) == 0 && len(r.finished) == 0 {
		return nil
	}
	err := r.record(ctx, starting)
	if err != nil || r.endpoint.Status != delivery.EndpointEnabled { // nothing has begun
		for _, t := range starting {
			t.slot()
		}
		if errors.Is(err, db.ErrWebhookEndpointChanged) { // its signal begins another run, with the URL and secrets of now
			r.due = nil
			return r.record(ctx, nil)
		}
		return err
	}
	for _, t := range starting {
		r.flying[t.due.State.ID] = t
		go func() { r.ended <- r.post(ctx, t) }()
	}
	return nil
}

// wait waits for an attempt to end; false: the receiver is slow and the lane is the fast one.
func (r *run) wait() bool {
	var patience <-chan time.Time
	if r.fastLane {
		oldest := r.slowAfter()
		for _, t := range r.flying {
			oldest = min(oldest, r.slowAfter()-r.Clock().Sub(t.began))
		}
		timer := time.NewTimer(max(oldest, 0))
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case a := <-r.ended:
		r.landed(a)
		r.gatherEnded()
		return true
	case <-patience:
		r.slow = true
		return false
	}
}

// gatherEnded takes in what ends within a moment: one transaction for several attempts costs hardly more than for one.
func (r *run) gatherEnded() {
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for len(r.flying) > 0 {
		select {
		case a := <-r.ended:
			r.landed(a)
		case <-timer.C:
			return
		}
	}
}

// landed takes an ended attempt in, and adapts the window: one that has just failed is tried carefully.
func (r *run) landed(a answered) {
	delete(r.flying, a.start.DeliveryID)
	r.finished = append(r.finished, a)
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

// leaveBehind records the attempts that are under way when the activity ends, and those that could not be recorded yet.
// Then it wakes the workflow: what waits behind them need not wait until they count as lost.
func (r *run) leaveBehind(ctx context.Context) {
	rest := *r // the activity still reads the run
	r.flying, r.finished = nil, nil
	rest.leaving = true
	ctx = context.WithoutCancel(ctx)
	r.background.Go(func() {
		for {
			deadline := rest.Clock().Add(recordPatience)
			for len(rest.finished) > 0 && rest.record(ctx, nil) != nil && rest.Clock().Before(deadline) {
				time.Sleep(recordPause)
			}
			if len(rest.flying) == 0 {
				return
			}
			rest.landed(<-rest.ended)
		}
	})
}

// record writes ends and starts. An endpoint that has failed for too long is disabled with the failure that shows it.
func (r *run) record(ctx context.Context, starting []attempt) error {
	starts := make([]db.AttemptStart, len(starting))
	for i, t := range starting {
		starts[i] = t.start
	}
	ends := make([]db.AttemptEnd, len(r.finished))
	failing, disable := r.endpoint.FailingSince, false
	for i, a := range r.finished {
		ends[i] = r.end(a)
		var now bool
		failing, now = delivery.Health(failing, ends[i].End, ends[i].Next)
		disable = disable || now
	}
	env := r.endpoint.EnvironmentID
	err := r.Store.InTx(ctx, r.by, r.Clock(), func(tx *db.Tx) error {
		if disable {
			var err error
			if disable, err = disableFailing(ctx, tx, r.endpoint); err != nil {
				return err
			}
		}
		// The endpoint before its deliveries, in which order redeliveries lock them.
		if failing.IsZero() != r.endpoint.FailingSince.IsZero() && !disable {
			if err := tx.SetEndpointFailing(ctx, env, r.endpoint.ID, failing); err != nil {
				return err
			}
		}
		if err := tx.EndAttempts(ctx, env, ends); err != nil {
			return err
		}
		if r.leaving && len(r.flying) == 0 {
			tx.WakeWebhookEndpoint(env, r.endpoint.ID)
		}
		if disable {
			return nil // nothing begins beside the failure that disables
		}
		return tx.StartAttempts(ctx, env, r.endpoint.ID, r.endpoint.Revision, starts)
	})
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.AttemptRecorded)
	r.endpoint.FailingSince, r.sum.FailingSince = failing, failing
	if disable {
		r.endpoint.Status = delivery.EndpointDisabled
		r.Observer.EndpointDisabled(ctx, env, r.endpoint.ID, failing)
	}
	r.observe(ctx, ends)
	r.finished = nil
	return nil
}

// disableFailing disables an endpoint and announces it, unless it was disabled or an attempt succeeded meanwhile.
func disableFailing(ctx context.Context, tx *db.Tx, endpoint db.WebhookEndpoint) (bool, error) {
	env := endpoint.EnvironmentID
	e, err := tx.LockWebhookEndpoint(ctx, env, endpoint.ID)
	if err != nil || !e.DisableFailing(tx.Real) {
		return false, ignoreGone(err)
	}
	if err := tx.SaveWebhookEndpoint(ctx, env, e, db.EndpointChange{Action: db.EndpointDisabled}); err != nil {
		return false, err
	}
	announced := event.New(event.WebhookEndpointDisabled{ID: e.ID, FailingSince: e.FailingSince.Unix()}, tx.Real)
	return true, tx.Emit(ctx, env, announced)
}
