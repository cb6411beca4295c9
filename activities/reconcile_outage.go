package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"perennial/billing/routing"
	"perennial/db"
)

// After an outage of a provider its payments wait for look-ups that have become rare. A pass has one payment of each
// silent account ask, and as soon as one is answered it wakes the others, at the pace of all that it starts (ADR 67).

const (
	// probeLooks is how often a pass looks for the answers to its probes, probeGap apart.
	probeLooks = 20
	probeGap   = 250 * time.Millisecond
	// recoveryTime is how long payments are woken after their account has recovered. It is longer than any exchange, since
	// one that was begun before may still end unanswered, and than the rest of a payment that has met short outages for
	// ten minutes.
	recoveryTime = 2 * time.Minute
)

// probes has one payment of each silent account ask its provider.
func (p *pass) probes(ctx context.Context) error {
	refs, err := p.Store.SilentProbes(ctx, p.now, p.now.Add(-routing.Outage), p.batch)
	if err != nil {
		return err
	}
	p.probing = len(each(ctx, p, refs, ownerID, p.check)) > 0 && activity.IsActivity(ctx)
	return nil
}

// unanswered wakes the payments of accounts that answer again after an outage.
func (p *pass) unanswered(ctx context.Context) error {
	refs, err := p.releaseUnanswered(ctx)
	for range probeLooks {
		if err != nil || len(refs) > 0 || !p.probing {
			break
		}
		heartbeat(ctx)
		if err := pause(ctx, probeGap); err != nil {
			return err
		}
		refs, err = p.releaseUnanswered(ctx)
	}
	if err != nil {
		return err
	}
	p.found.Signalled += len(each(ctx, p, refs, ownerID, p.check))
	p.found.More = p.found.More || len(refs) == p.batch
	return nil
}

func (p *pass) releaseUnanswered(ctx context.Context) (refs []db.TransactionRef, err error) {
	now := p.Clock()
	err = p.Store.InTx(ctx, workflowOf(ctx), now, func(tx *db.Tx) error {
		if refs, err = tx.ReleaseUnanswered(ctx, p.batch); err != nil || len(refs) > 0 {
			return err
		}
		return tx.EndRecoveries(ctx, now.Add(-recoveryTime))
	})
	return refs, err
}
