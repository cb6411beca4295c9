package delivery

import (
	"context"
	"time"

	"perennial/billing/delivery"
)

// A receiver that answers in a few milliseconds would mostly wait for our transactions. So attempts to it are written
// ahead of their turn: no more than are made in a moment, and one whose turn does not come soon is withdrawn, since an
// endpoint that was changed must not get it.
const (
	aheadMost  = 40                     // attempts
	aheadFor   = 50 * time.Millisecond  // the time in which attempts written ahead are sent
	staleAfter = 250 * time.Millisecond // after so long, an attempt that waits for its turn is withdrawn
)

// ahead returns the number of attempts that may be written ahead of their turn. They hold slots of the app: on the slow
// lane, where a run stays with a receiver that hangs, they could hold them for as long.
func (r *run) ahead() int {
	if !r.fastLane || r.window < endpointInFlight {
		return 0
	}
	inTime := int(aheadFor / max(r.latency, time.Millisecond)) // by each of those in flight
	return min(max(inTime-1, 0)*endpointInFlight, aheadMost)
}

// send sends ready attempts as far as the window allows, unless they are stale or the endpoint is disabled.
func (r *run) send(ctx context.Context) {
	for len(r.ready) > 0 && r.posting < r.window {
		t := r.ready[0]
		r.ready = r.ready[1:]
		if r.endpoint.Status != delivery.EndpointEnabled || r.Clock().Sub(t.ready) > staleAfter {
			t.slot()
			r.stale = append(r.stale, t)
			continue
		}
		t.began = r.Clock()
		r.flying[t.due.State.ID] = t
		r.posting++
		go func() { r.ended <- r.post(ctx, t) }()
	}
}
