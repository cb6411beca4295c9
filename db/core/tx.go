package core

import (
	"context"
	"time"

	"perennial/billing/invoice"
	"perennial/billing/money"
)

// Tx is one transaction: its queue, its locks and its work for the commit. It ends with the function that gets it.
type Tx struct {
	Now  time.Time // the caller's: virtual for customers on a test clock
	Real time.Time // the wall clock's
	By   Actor     // who writes

	// SendInvoice sends an invoice that the commit is to number. The assembly sets it: core knows no table of invoices.
	SendInvoice func(ctx context.Context, n NewInvoice) error

	Pipe    *Pipe
	effects []Effect
	owed    map[string]*owing // to webhook endpoints, by environment
	marks   []Ref             // subscriptions whose workflows are to be woken, unless saved since
	cleared int               // marks taken off
	// plansKept: statements keep one plan until the commit.
	plansKept bool
	// Inserted with the commit: numbering them locks the environment's counter, which all invoices wait for.
	Unnumbered []NewInvoice
	Limits     func(provider string, currency money.Currency) money.Limits // nil: none are known
	redeemed   []redemption                                                // counted with the commit
	audit      auditing                                                    // see Audit
	unsealed   *unsealed                                                   // notified after the commit
}

// Reads are sent within the transaction, after all that is queued.
func (tx *Tx) Reads() Reader { return Reader{Handle: tx.Pipe} }

// NewInvoice is an invoice that the commit numbers.
type NewInvoice struct {
	EnvironmentID string
	Invoice       invoice.Invoice
}

// InTx begins a transaction of by, runs fn and commits. An error or a panic of fn, and a canceled ctx, roll back.
// Nothing is retried here: a caller that repeats calls fn again. Effects of AfterCommit are dispatched only here, once
// the commit has succeeded and the connection is back in the pool.
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
		return nil, Translate("begin", err)
	}
	defer conn.Release() // a connection that is not idle by now is closed, not reused
	p := &Pipe{conn: conn.Conn()}
	defer p.rollback(ctx)
	tx := &Tx{
		Now:    now.UTC().Truncate(time.Microsecond),
		Real:   s.clock().UTC().Truncate(time.Microsecond),
		By:     by,
		Pipe:   p,
		Limits: s.limits, unsealed: s.unsealed,
	}
	if err = Translate("transaction", fn(tx)); err == nil {
		err = tx.commit(ctx)
	}
	if movedAway(err) {
		_ = conn.Conn().Close(ctx) // the pool opens a new one
	}
	return tx.effects, err
}

// BeforeCounters queues what locks rows that transactions of many customers lock: the redemptions of coupons, then what
// webhook endpoints are owed. An environment's counter is locked after them, by the commit or, where the caller needs a
// number, earlier.
func (tx *Tx) BeforeCounters(ctx context.Context) error {
	if err := tx.countRedemptions(ctx); err != nil {
		return err
	}
	return tx.oweDeliveries(ctx)
}

// commit sends the queue, then the marks of workflows to be woken, then the redemptions of coupons, then the deliveries
// to webhook endpoints, then the entry of the audit log, then the new invoices, then COMMIT, all in one round trip.
func (tx *Tx) commit(ctx context.Context) error {
	if err := tx.setMarks(ctx); err != nil {
		return err
	}
	if err := tx.BeforeCounters(ctx); err != nil {
		return err
	}
	if err := tx.writeAudit(ctx); err != nil {
		return err
	}
	for _, n := range tx.Unnumbered {
		if err := tx.SendInvoice(ctx, n); err != nil {
			return err
		}
	}
	if err := tx.relax(ctx); err != nil {
		return err
	}
	err := tx.Pipe.commit(ctx)
	if err == nil {
		tx.unsealed.note(tx.audit.environments)
	}
	return err
}

// KeepPlans has the writes of attempts in this transaction keep their plans, which saves more than it costs.
func (tx *Tx) KeepPlans(ctx context.Context) error {
	if tx.plansKept {
		return nil
	}
	tx.plansKept = true
	return Queries.PlanForAnyValues(ctx, tx.Pipe)
}
