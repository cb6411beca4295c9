package lifecycle

import (
	"context"
	"regexp"

	"github.com/jackc/pgx/v5"

	"perennial/billing/lifecycle"
	"perennial/db/core"
)

// StateOf reads what Tx.LockSubscription reads, as it was at one moment, and locks nothing: for those who only look,
// and must not hold up those who decide. Fault: subscription_not_found.
func StateOf(ctx context.Context, s *core.Store, environmentID, id string) (lifecycle.State, error) {
	snapshot, err := s.Snapshot(ctx)
	if err != nil {
		return lifecycle.State{}, err
	}
	defer func() { _ = snapshot.Rollback(context.WithoutCancel(ctx)) }() // it wrote nothing
	l := loader{ctx: ctx, environmentID: environmentID, id: id}
	return l.load(core.ReaderOn(unlocked{snapshot}), s.KnownLimits())
}

// unlocked sends the reads of decisions without their locks, so that both always read the same.
type unlocked struct{ pgx.Tx }

var locks = regexp.MustCompile(`\sfor (no key update|share)( of [a-z]+)?\b`)

func (u unlocked) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	for _, q := range b.QueuedQueries {
		q.SQL = locks.ReplaceAllString(q.SQL, "")
	}
	return u.Tx.SendBatch(ctx, b)
}
