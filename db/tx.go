package db

import (
	"context"
	"time"

	"perennial/billing/invoice"
)

// Tx is one transaction: the reads, the writes and the locks. It ends with the function it was given to.
type Tx struct {
	Reader
	Now  time.Time // the caller's: virtual for customers on a test clock
	Real time.Time // the wall clock's

	pipe     *pipe
	invoices []newInvoice // inserted with the commit, because their numbers lock the counter
}

type newInvoice struct {
	environmentID string
	invoice       invoice.Invoice
}

// InTx begins a transaction, runs fn and commits. An error or a panic of fn, and a canceled ctx, roll back. Nothing is
// retried here: whoever calls again calls fn again.
func (s *Store) InTx(ctx context.Context, now time.Time, fn func(*Tx) error) error {
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return translate("begin", err)
	}
	defer conn.Release() // a connection that is not idle by now is closed, not reused
	p := &pipe{conn: conn.Conn()}
	defer p.rollback(ctx)
	tx := &Tx{
		Reader: Reader{handle: p},
		Now:    now.UTC().Truncate(time.Microsecond),
		Real:   s.clock().UTC().Truncate(time.Microsecond),
		pipe:   p,
	}
	if err = translate("transaction", fn(tx)); err == nil {
		err = tx.commit(ctx)
	}
	if movedAway(err) {
		_ = conn.Conn().Close(ctx) // the pool opens a new one
	}
	return err
}

// commit sends what is queued, then the new invoices, then COMMIT, all in one round trip.
func (tx *Tx) commit(ctx context.Context) error {
	for _, n := range tx.invoices {
		if err := tx.insertInvoice(ctx, n); err != nil {
			return err
		}
	}
	return tx.pipe.commit(ctx)
}
