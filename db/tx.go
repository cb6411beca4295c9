package db

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Tx is one transaction: the reads, the writes and the locks. It ends with the function it was given to.
type Tx struct {
	Reader
	Now  time.Time // the caller's: virtual for customers on a test clock
	Real time.Time // the wall clock's
	By   Actor     // who writes

	pipe    *pipe
	effects []Effect
	owed    map[string]*owing // to webhook endpoints, by environment
	marks   []Ref             // subscriptions whose workflows are to be woken, unless saved since
	cleared int               // marks taken off
	// plansKept: statements keep one plan until the commit.
	plansKept bool
	// Inserted with the commit: numbering them locks the environment's counter, which all invoices wait for.
	invoices []newInvoice
	limits   func(provider string, currency money.Currency) money.Limits // nil: none are known
	redeemed []redemption                                                // counted with the commit
	audit    auditing                                                    // see Audit
	unsealed *unsealed                                                   // told after the commit
}

type newInvoice struct {
	environmentID string
	invoice       invoice.Invoice
}

// InTx begins a transaction of by, runs fn and commits. An error or a panic of fn, and a canceled ctx, roll back.
// Nothing is retried here: a caller that repeats calls fn again. What fn left to AfterCommit is dispatched here and
// nowhere else, once the commit has succeeded and the connection is back in the pool.
func (s *Store) InTx(ctx context.Context, by Actor, now time.Time, fn func(*Tx) error) error {
	effects, err := s.transact(ctx, by, now, fn)
	if err == nil && len(effects) > 0 && s.dispatcher != nil {
		s.dispatcher.Dispatch(ctx, by, effects)
	}
	return err
}

func (s *Store) transact(ctx context.Context, by Actor, now time.Time, fn func(*Tx) error) ([]Effect, error) {
	if by == (Actor{}) {
		return nil, errNobody
	}
	conn, err := s.pool.Acquire(ctx)
	if err != nil {
		return nil, translate("begin", err)
	}
	defer conn.Release() // a connection that is not idle by now is closed, not reused
	p := &pipe{conn: conn.Conn()}
	defer p.rollback(ctx)
	tx := &Tx{
		Reader: Reader{handle: p},
		Now:    now.UTC().Truncate(time.Microsecond),
		Real:   s.clock().UTC().Truncate(time.Microsecond),
		By:     by,
		pipe:   p,
		limits: s.limits, unsealed: s.unsealed,
	}
	if err = translate("transaction", fn(tx)); err == nil {
		err = tx.commit(ctx)
	}
	if movedAway(err) {
		_ = conn.Conn().Close(ctx) // the pool opens a new one
	}
	return tx.effects, err
}

// beforeCounters queues what locks rows that transactions of many customers lock: the redemptions of coupons, then what webhook
// endpoints are owed. An environment's counter is locked after them, by the commit or, where the caller needs a number, earlier.
func (tx *Tx) beforeCounters(ctx context.Context) error {
	if err := tx.countRedemptions(ctx); err != nil {
		return err
	}
	return tx.oweDeliveries(ctx)
}

// commit sends what is queued, then the marks of workflows to be woken, then the redemptions of coupons, then what webhook
// endpoints are owed, then the entry of the audit log, then the new invoices, then COMMIT, all in one round trip.
func (tx *Tx) commit(ctx context.Context) error {
	if err := tx.setMarks(ctx); err != nil {
		return err
	}
	if err := tx.beforeCounters(ctx); err != nil {
		return err
	}
	if err := tx.writeAudit(ctx); err != nil {
		return err
	}
	for _, n := range tx.invoices {
		if err := tx.insertInvoice(ctx, n); err != nil {
			return err
		}
	}
	if err := tx.relax(ctx); err != nil {
		return err
	}
	err := tx.pipe.commit(ctx)
	if err == nil {
		tx.unsealed.note(tx.audit.environments)
	}
	return err
}
