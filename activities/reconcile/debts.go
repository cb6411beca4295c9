package reconcile

import (
	"context"

	"perennial/activities/execution"
	"perennial/db"
)

// sweepsAtOnce is the number of environments with a new overdue policy that one pass goes on with.
const sweepsAtOnce = 20

// sweeps marks the customers of environments with a new overdue policy, one batch of each. debts reviews them.
func (p *pass) sweeps(ctx context.Context) error {
	found, err := p.Store.Customers.Sweeps(ctx, sweepsAtOnce)
	if err != nil {
		return err
	}
	done := together(ctx, p, found, func(ctx context.Context, s db.OverdueSweep) error {
		return execution.InTx(ctx, p.Store, p.now, func(tx *db.Tx) error {
			return tx.Customers.SweepOn(ctx, s, p.batch)
		})
	})
	p.found.More = p.found.More || len(done) > 0
	return nil
}
