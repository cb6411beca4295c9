package activities

import (
	"context"
	"time"

	"perennial/billing/lifecycle"
	"perennial/db"
)

// AnnounceOverdue announces an invoice as overdue where its time to pay is over, once. Manual invoices have no workflow, and
// those of a canceled subscription none that waits: the reconciler finds those in real time, and a step of their clock the
// others (ADR 47).
func AnnounceOverdue(ctx context.Context, store *db.Store, due db.DueInvoice, now time.Time) error {
	return store.InTx(ctx, workflowOf(ctx), now, func(tx *db.Tx) error {
		state, err := lockDue(ctx, tx, due)
		if err != nil {
			return err
		}
		state, changes, err := lifecycle.Overdue(state, db.Moment(now, now))
		if err != nil {
			return err
		}
		return tx.Write(ctx, due.EnvironmentID, state, changes)
	})
}

func lockDue(ctx context.Context, tx *db.Tx, due db.DueInvoice) (lifecycle.State, error) {
	if due.SubscriptionID != "" {
		return tx.LockSubscription(ctx, due.EnvironmentID, due.SubscriptionID)
	}
	return tx.LockManualInvoice(ctx, due.EnvironmentID, due.CustomerID, due.ID)
}

// overdue announces invoices in real time. Each is marked, so that after a full batch the next one follows at once.
func (p *pass) overdue(ctx context.Context) error {
	due, err := p.Store.DueInvoices(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	done := together(ctx, p, due, func(ctx context.Context, d db.DueInvoice) error {
		return AnnounceOverdue(ctx, p.Store, d, p.now)
	})
	p.found.More = p.found.More || len(due) == p.batch && len(done) > 0
	return nil
}

// announceAll announces what is overdue at the time of a clock.
func (a *Clocks) announceAll(ctx context.Context, due []db.DueInvoice) error {
	for _, d := range due {
		if err := AnnounceOverdue(ctx, a.Store, d, a.Clock()); err != nil {
			return err
		}
	}
	return nil
}
