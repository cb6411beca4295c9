package reconcile

import (
	"context"

	"perennial/db"
)

// endpoints wakes webhook endpoints whose signal was lost or whose due work is late, and starts those whose workflow
// the present database of Temporal has not seen.
func (p *pass) endpoints(ctx context.Context) error {
	asleep, err := p.Store.Reconcile.AsleepEndpoints(ctx, p.now.Add(-grace), p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, asleep, refID, p.wakeEndpoint))
	unstarted, err := p.Store.Reconcile.UnstartedEndpoints(ctx, p.epoch, p.batch)
	if err != nil {
		return err
	}
	return p.start(ctx, db.StartedEndpoints, unstarted, p.wakeEndpoint)
}

func (p *pass) wakeEndpoint(ctx context.Context, r db.Ref) error {
	return p.Waker.WakeEndpoint(ctx, ref(r))
}
