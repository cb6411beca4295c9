package reconcile

import "context"

// returns wakes the charges whose payers came back with what completes them, and that no provider was given it: their
// signal was lost, or a worker that knows nothing of returns took it, and put the next check off for days.
func (p *pass) returns(ctx context.Context) error {
	refs, err := p.Store.Reconcile.KeptReturns(ctx, p.now.Add(-grace), p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, ownerID, p.check))
	return nil
}
