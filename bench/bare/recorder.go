package bare

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
)

// recorder records every transaction of a connection pool, with the statements of each round trip.
type recorder struct {
	mu   sync.Mutex
	open *recorded
	done []recorded
	all  *recorded // all round trips, also reads outside of transactions; nil: not recorded
}

// recorded is one transaction: its round trips, each a batch of statements.
type recorded [][]*pgx.QueuedQuery

var (
	_ pgx.BatchTracer = (*recorder)(nil)
	_ pgx.QueryTracer = (*recorder)(nil)
)

// TraceBatchStart implements pgx.BatchTracer. The product's transactions consist of batches, from the one with BEGIN to
// the one with COMMIT.
func (r *recorder) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	queries := data.Batch.QueuedQueries
	if len(queries) == 0 {
		return ctx
	}
	if r.all != nil {
		*r.all = append(*r.all, queries)
	}
	if strings.EqualFold(queries[0].SQL, "begin") {
		r.open = &recorded{}
	}
	if r.open == nil {
		return ctx
	}
	*r.open = append(*r.open, queries)
	if strings.EqualFold(queries[len(queries)-1].SQL, "commit") {
		r.done = append(r.done, *r.open)
		r.open = nil
	}
	return ctx
}

// TraceBatchQuery implements pgx.BatchTracer.
func (*recorder) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements pgx.BatchTracer.
func (*recorder) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TraceQueryStart implements pgx.QueryTracer: single statements are reads outside of transactions.
func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.all != nil {
		*r.all = append(*r.all, []*pgx.QueuedQuery{{SQL: data.SQL, Arguments: data.Args}})
	}
	return ctx
}

// readsToo also records statements outside of transactions from now on.
func (r *recorder) readsToo() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = &recorded{}
}

// reads returns the round trips since readsToo.
func (r *recorder) reads() recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return *r.all
}

// TraceQueryEnd implements pgx.QueryTracer.
func (*recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// take returns the transactions since the last take. Their number must be want.
func (r *recorder) take(step string, want int) ([]recorded, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	done := r.done
	r.done = nil
	if want >= 0 && len(done) != want {
		return nil, fmt.Errorf("recording %s: %d transactions, not %d: the bare side must follow what the product does now",
			step, len(done), want)
	}
	return done, nil
}
