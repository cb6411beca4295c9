package reconcile

import (
	"context"

	"perennial/db"
)

// senders wakes senders of mail whose signal was lost or whose due work is late, and starts those whose workflow the
// present database of Temporal has not seen.
func (p *pass) senders(ctx context.Context) error {
	asleep, err := p.Store.Reconcile.AsleepSenders(ctx, p.now.Add(-grace), p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, asleep, refID, p.wakeSender))
	unstarted, err := p.Store.Reconcile.UnstartedSenders(ctx, p.epoch, p.batch)
	if err != nil {
		return err
	}
	return p.start(ctx, db.StartedSenders, unstarted, p.wakeSender)
}

func (p *pass) wakeSender(ctx context.Context, r db.Ref) error {
	return p.Waker.WakeSender(ctx, ref(r))
}
