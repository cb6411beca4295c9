package reconcile

import (
	"context"
	"time"

	"perennial/activities/due"
	"perennial/db"
)

// dueOnes lists what is due in real time, and does it. What is done is not found again, so after a full batch the next
// one follows at once.
func dueOnes[T any](
	ctx context.Context, p *pass, list func(context.Context, time.Time, int) ([]T, error),
	do func(context.Context, *db.Store, T, time.Time) error,
) error {
	found, err := list(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	done := together(ctx, p, found, func(ctx context.Context, one T) error { return do(ctx, p.Store, one, p.now) })
	p.found.More = p.found.More || len(found) == p.batch && len(done) > 0
	return nil
}

// endedGrants removes the rest of ended grants.
func (p *pass) endedGrants(ctx context.Context) error {
	return dueOnes(ctx, p, p.Store.Customers.DueGrants, due.EndGrant)
}

// overdue announces invoices, and marks each.
func (p *pass) overdue(ctx context.Context) error {
	return dueOnes(ctx, p, p.Store.Invoices.Due, due.AnnounceOverdue)
}

// expiring announces cards that expire soon, and marks each.
func (p *pass) expiring(ctx context.Context) error {
	return dueOnes(ctx, p, p.Store.Customers.ExpiringMethods, due.AnnounceExpiry)
}

// debts reviews customers whose state by the overdue policy may have changed with time, or is not carried out yet. Each
// gets its next time.
func (p *pass) debts(ctx context.Context) error {
	return dueOnes(ctx, p, p.Store.Customers.ToReview, due.ReviewDebts)
}
