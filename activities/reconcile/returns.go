package reconcile

import "context"

// returns wakes charges whose payers came back with a value that completes them and that no provider has received:
// their signal was lost, or a worker of an earlier build took it and put the next check off for days.
func (p *pass) returns(ctx context.Context) error {
	refs, err := p.Store.Reconcile.KeptReturns(ctx, p.now.Add(-grace), p.now.Add(-overdue), p.batch)
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, ownerID, p.check))
	return nil
}
