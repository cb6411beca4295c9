package reconcile

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"perennial/activities/execution"
	"perennial/billing/routing"
	"perennial/db"
)

// After an outage of a provider its payments wait for look-ups that have become rare. A pass has one payment of each
// silent account ask, and as soon as one is answered it wakes the others, at its usual pace of starts (ADR 67).

const (
	// probeLooks is the number of times that a pass looks for the answers to its probes, probeGap apart.
	probeLooks = 20
	probeGap   = 250 * time.Millisecond
	// recoveryTime is the least time for which payments are woken after their account has recovered. It is longer than
	// any exchange, since one that began before may still end unanswered.
	recoveryTime = 2 * time.Minute
)

// probes has one payment of each silent account ask its provider.
func (p *pass) probes(ctx context.Context) error {
	refs, err := p.Store.Reconcile.SilentProbes(ctx, p.now, p.now.Add(-routing.Outage), p.batch)
	if err != nil {
		return err
	}
	p.probing = len(each(ctx, p, refs, ownerID, p.check)) > 0 && activity.IsActivity(ctx)
	return nil
}

// unanswered wakes the payments of accounts that answer again after an outage.
func (p *pass) unanswered(ctx context.Context) error {
	refs, more, err := p.releaseUnanswered(ctx)
	for range probeLooks {
		if err != nil || len(refs) > 0 || !p.probing {
			break
		}
		execution.Heartbeat(ctx)
		if err := execution.Pause(ctx, probeGap); err != nil {
			return err
		}
		refs, more, err = p.releaseUnanswered(ctx)
	}
	if err != nil {
		return err
	}
	woken := each(ctx, p, refs, ownerID, p.check)
	p.found.Signalled += len(woken)
	p.found.More = p.found.More || more && len(woken) > 0
	return nil
}

func (p *pass) releaseUnanswered(ctx context.Context) (refs []db.TransactionRef, more bool, err error) {
	now := p.Clock()
	err = execution.InTx(ctx, p.Store, now, func(tx *db.Tx) error {
		if refs, more, err = tx.Reconcile.ReleaseUnanswered(ctx, p.batch); err != nil {
			return err
		}
		return tx.Reconcile.EndRecoveries(ctx, now.Add(-recoveryTime))
	})
	return refs, more, err
}
