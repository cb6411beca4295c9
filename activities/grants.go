package activities

import (
	"context"
	"time"

	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/db"
)

// EndGrant takes away what is left of a credit grant that has ended, and announces one that has expired. Invoices judge by
// time whether they may use a grant, so that nothing depends on when this is done; it is done once. Grants have no workflow:
// the reconciler finds those in real time, and a step of their clock the others (ADR 48).
func EndGrant(ctx context.Context, store *db.Store, due db.DueGrant, now time.Time) error {
	return store.InTx(ctx, workflowOf(ctx), now, func(tx *db.Tx) error {
		state, err := tx.LockCustomerState(ctx, due.EnvironmentID, due.CustomerID)
		if err != nil {
			return err
		}
		if _, err := tx.LockBalance(ctx, due.EnvironmentID, due.CustomerID, due.Currency); err != nil {
			return err
		}
		grant, err := tx.LockCreditGrant(ctx, due.EnvironmentID, due.ID)
		if err != nil {
			return err
		}
		at := state.Time(db.Moment(now, now))
		grant, left := grant.End(at)
		if left == 0 { // done meanwhile
			return nil
		}
		reason := invoice.CreditExpired
		if !grant.VoidedAt.IsZero() { // an invoice that had used it was voided after it was
			reason = invoice.CreditVoided
		}
		err = tx.EndCreditGrant(ctx, due.EnvironmentID, grant, left, reason, at)
		if err != nil || reason == invoice.CreditVoided || !state.Customer.ErasedAt.IsZero() { // nobody would read it
			return err
		}
		return tx.Emit(ctx, due.EnvironmentID, event.New(event.CreditGrantExpired{
			CreditGrant: grant.Announced(), AmountExpired: int64(left),
		}, at))
	})
}

// endedGrants takes away what is left of ended grants in real time. Of each nothing is left then, so that after a full batch
// the next one follows at once.
func (p *pass) endedGrants(ctx context.Context) error {
	due, err := p.Store.DueGrants(ctx, p.now, p.batch)
	if err != nil {
		return err
	}
	done := together(ctx, p, due, func(ctx context.Context, d db.DueGrant) error {
		return EndGrant(ctx, p.Store, d, p.now)
	})
	p.found.More = p.found.More || len(due) == p.batch && len(done) > 0
	return nil
}

// endGrants takes away what is left of grants that have ended by the time of a clock.
func (a *Clocks) endGrants(ctx context.Context, due []db.DueGrant) error {
	for _, d := range due {
		if err := EndGrant(ctx, a.Store, d, a.Clock()); err != nil {
			return err
		}
	}
	return nil
}
