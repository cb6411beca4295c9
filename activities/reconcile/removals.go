package reconcile

import "context"

// removalBatch bounds the requests to providers of one pass, which waits for them.
const removalBatch = 32

// removals asks providers to remove the payment methods that are removed here. One that is not removed is due again
// later, so that no provider holds the pass up each time.
func (p *pass) removals(ctx context.Context) error {
	if p.RemoveMethod == nil {
		return nil
	}
	due, err := p.Store.Customers.DueRemovals(ctx, p.now, min(p.batch, removalBatch))
	if err != nil {
		return err
	}
	together(ctx, p, due, p.RemoveMethod)
	return nil
}
