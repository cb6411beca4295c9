package reconcile

import (
	"context"
	"time"

	"perennial/activities/execution"
	"perennial/billing/audit"
	"perennial/billing/delivery"
	"perennial/billing/email"
	"perennial/db"
)

// purge removes rows whose time of retention is over, and notes that the pass has ended.
func (p *pass) purge(ctx context.Context) error {
	err := execution.InTx(ctx, p.Store, p.now, func(tx *db.Tx) error {
		keys, err := tx.PurgeIdempotencyKeys(ctx, p.now.Add(-idempotencyLife), purgeBatch)
		if err != nil {
			return err
		}
		callbacks, err := tx.Payments.PurgeCallbacks(ctx, p.now.Add(-callbackLife), purgeBatch)
		if err != nil {
			return err
		}
		deliveries, err := tx.Webhooks.PurgeLog(ctx, p.now.Add(-delivery.Retention), purgeBatch)
		if err != nil {
			return err
		}
		if _, err := tx.Tenancy.EraseAuditAddresses(ctx, p.now.Add(-audit.AddressRetention), purgeBatch); err != nil {
			return err
		}
		mails, err := tx.Emails.Purge(ctx, p.now.Add(-email.Retention), purgeBatch)
		if err != nil {
			return err
		}
		p.found.Purged = keys + callbacks + deliveries + mails
		return tx.Reconcile.PurgeWorkers(ctx, p.now.Add(-rosterLife))
	})
	if err != nil {
		return err
	}
	// By itself and last: a partition that cannot be made or dropped now keeps nothing else from being done.
	return p.Store.UsageLog().Maintain(ctx, execution.Actor(ctx), p.now)
}

// rosterLife is the time for which a worker that has gone is remembered: longer than any build stays current without
// workers unnoticed.
const rosterLife = 30 * 24 * time.Hour
