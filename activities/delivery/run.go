package delivery

import (
	"context"
	"maps"
	"slices"
	"time"

	"perennial/activities/execution"
	"perennial/billing/delivery"
	"perennial/contract"
	"perennial/db"
)

// run delivers to one endpoint. Only its loop touches its state; attempts run concurrently, and the recorder writes
// concurrently how they end and which ones begin.
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
	lookAt   time.Time          // while attempts are under way, when it looks for more
	flying   map[string]attempt // sent, or about to be, by delivery
	posting  int                // how many of them are sent
	ready    []attempt          // written, and waiting to be sent, in order
	stale    []attempt          // written, and not to be sent any more
	known    map[string]bool    // deliveries of attempts that are not written yet, or whose end is not
	window   int                // attempts at a time: it grows with answers that come fast
	latency  time.Duration      // of the last answer
	asked    *slotRequest       // nil: none
	ended    chan answered
	finished []answered      // not submitted yet
	written  chan *recording // has room for all that are being written
	writing  int             // recordings under way
	sum      contract.DeliverOutput
	closing  bool // the activity has ended: no attempt begins
}

func (a *Deliveries) newRun(ctx context.Context, e db.WebhookEndpoint, slow bool) (*run, error) {
	secrets, err := a.Secrets.EndpointSecrets(e, a.Clock())
	if err != nil {
		return nil, err
	}
	r := &run{
		Deliveries: a, endpoint: e, secrets: secrets, by: execution.Actor(ctx), slow: slow, fastLane: !slow, window: 1,
		until: a.Clock().Add(runTakes), flying: map[string]attempt{}, known: map[string]bool{},
		ended:   make(chan answered, endpointInFlight),
		written: make(chan *recording, recordingsAtOnce), sum: contract.DeliverOutput{FailingSince: e.FailingSince},
	}
	if _, r.since, err = a.Store.Webhooks.EventHorizon(ctx, e.EnvironmentID); err != nil {
		return nil, err
	}
	return r, r.closeLost(ctx)
}

// deliver works until nothing is due, the time is up, the worker ends or the receiver is slow.
func (r *run) deliver(ctx context.Context) error {
	defer r.leave(ctx)
	for lull := 0; ; {
		if err := r.look(ctx); err != nil {
			return err
		}
		if err := r.turn(ctx); err != nil {
			return err
		}
		switch {
		case len(r.flying) > 0 || r.writing > 0 || r.asked != nil && r.takes(ctx):
			lull = 0
			if slow, err := r.wait(ctx); slow || err != nil {
				return err
			}
		case !r.takes(ctx): // before it has seen that nothing more is due: a worker that ends leaves the rest to another
			r.sum.NextAt = r.Clock()
			return nil
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
	case <-execution.Stopping(ctx):
		return false
	default:
	}
	return !r.closing && ctx.Err() == nil && r.Clock().Before(r.until) && r.endpoint.Status == delivery.EndpointEnabled
}

// look reads due deliveries where none are known any more. It reads nothing once the endpoint has been changed, since
// the signal of the change begins another run.
func (r *run) look(ctx context.Context) error {
	if !r.takes(ctx) || len(r.due) > 0 || len(r.flying) > 0 && r.Clock().Before(r.lookAt) {
		return nil
	}
	r.lookAt = r.Clock().Add(lulls[0])
	e := r.endpoint
	known := slices.Collect(maps.Keys(r.known))
	if may, err := r.Store.Webhooks.MayBeDue(ctx, e.EnvironmentID, e.ID, r.Clock(), known); err != nil || !may {
		return err
	}
	due, err := r.Store.Webhooks.DueDeliveries(ctx, e.EnvironmentID, e.ID, e.Revision, r.Clock(), dueBatch)
	// An attempt that is about to begin looks due until it is written.
	r.due = slices.DeleteFunc(due, func(d db.DueDelivery) bool { return r.known[d.State.ID] })
	return err
}

// lastLook ends the run where nothing is owed. A writer that found the endpoint awake has sent no signal, and may not
// have committed yet: all who began before our mark was cleared must be decided first.
func (r *run) lastLook(ctx context.Context) error {
	horizon, _, err := r.Store.Webhooks.EventHorizon(ctx, r.endpoint.EnvironmentID)
	if err != nil {
		return err
	}
	if horizon < r.since {
		r.sum.NextAt = r.Clock().Add(execution.SettlePause)
		return nil
	}
	if err = r.look(ctx); err == nil && len(r.due) > 0 {
		r.sum.NextAt = r.Clock()
	}
	return err
}

// startable takes as many due deliveries as may begin now, in order: a first attempt waits for the one before it of the
// same key.
func (r *run) startable(ctx context.Context) (starting []attempt) {
	want := 0
	if r.takes(ctx) {
		want = len(r.next(r.window + r.ahead() - len(r.flying)))
	}
	if want > 0 && r.asked == nil {
		r.asked = r.apps.ask(r.endpoint.AppID, want)
	}
	var slots []func()
	select {
	case slots = <-r.granted():
		r.asked = nil
	default:
		return nil
	}
	begins := map[string]bool{}
	for _, d := range r.next(min(want, len(slots))) {
		begins[d.State.ID] = true
		starting = append(starting, attempt{
			start: db.AttemptStart{DeliveryID: d.State.ID, Number: d.LastAttempt + 1, Manual: d.State.Redelivery},
			due:   d, slot: slots[len(starting)],
		})
	}
	for _, give := range slots[len(starting):] {
		give()
	}
	r.due = slices.DeleteFunc(r.due, func(d db.DueDelivery) bool { return begins[d.State.ID] })
	return starting
}

// granted returns the channel of the slots that were asked for.
func (r *run) granted() <-chan []func() {
	if r.asked == nil {
		return nil
	}
	return r.asked.granted
}

// next returns the deliveries that may begin next, at most n.
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
