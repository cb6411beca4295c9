package reconcile

import (
	"context"

	"perennial/activities/due"
	"perennial/db"
)

// endedGrants removes the rest of ended grants in real time. A handled grant is not found again, so after a full batch
// the next one follows at once.
func (p *pass) endedGrants(ctx context.Context) error {
	ended, err := p.Store.Customers.DueGrants(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	done := together(ctx, p, ended, func(ctx context.Context, d db.DueGrant) error {
		return due.EndGrant(ctx, p.Store, d, p.now)
	})
	p.found.More = p.found.More || len(ended) == p.batch && len(done) > 0
	return nil
}

// overdue announces invoices in real time. Each is marked, so that after a full batch the next one follows at once.
func (p *pass) overdue(ctx context.Context) error {
	owed, err := p.Store.Invoices.Due(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	done := together(ctx, p, owed, func(ctx context.Context, d db.DueInvoice) error {
		return due.AnnounceOverdue(ctx, p.Store, d, p.now)
	})
	p.found.More = p.found.More || len(owed) == p.batch && len(done) > 0
	return nil
}

// expiring announces cards in real time that expire soon. Each is marked, so that after a full batch the next one
// follows at once.
func (p *pass) expiring(ctx context.Context) error {
	found, err := p.Store.Customers.ExpiringMethods(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	done := together(ctx, p, found, func(ctx context.Context, d db.ExpiringMethod) error {
		return due.AnnounceExpiry(ctx, p.Store, d, p.now)
	})
	p.found.More = p.found.More || len(found) == p.batch && len(done) > 0
	return nil
}
