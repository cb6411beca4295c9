package activities

import (
	"context"
	"time"

	"perennial/billing/collection"
	"perennial/billing/customer"
	"perennial/billing/event"
	"perennial/billing/invoice"
	"perennial/billing/payment"
	"perennial/db"
	"perennial/internal/id"
	"perennial/providers"
)

// recording is one answer of a provider on its way into the books, in one transaction. Its change is empty of a
// subscription for a transaction of its own.
type recording struct {
	*change
	txn      payment.Transaction
	reason   invoice.Reason // of the invoice it pays, while that is open
	move     payment.Move
	protocol payment.Protocol
	callID   string // of this exchange, in provider_calls
	key      string // it was sent under
	parked   string // why it was left to a person just now; empty: it was not
}

// forgetting is an answer without what it says of a person, where the payer has been erased meanwhile.
func (r *recording) forgetting(result providers.Result) providers.Result {
	if !r.b.Customer.ErasedAt.IsZero() {
		result.Response, result.FailureReason = nil, ""
	}
	return result
}

// record writes what an exchange with the provider proved.
func (r *recording) record(result providers.Result) error {
	was := r.txn
	r.learn(result)
	if was.Status == payment.Pending && result.FailureReason != "" {
		r.txn.FailureReason = result.FailureReason // why it is still undecided; what decides it writes its own
	}
	switch result.Outcome {
	case providers.Succeeded:
		return r.succeeded()
	case providers.Declined:
		return r.ended(payment.Declined, result)
	case providers.Failed:
		return r.ended(payment.Failed, result)
	case providers.Canceled:
		return r.ended(payment.Canceled, result)
	case providers.NotFound:
		return r.absent()
	case providers.NotSent:
		move, err := r.proven()
		if err != nil {
			return err
		}
		r.txn = r.txn.NotTaken(move, result.RetryAfter, r.real)
	default:
		r.txn = r.txn.Waiting(result.RetryAfter, r.real)
	}
	if was.Status != payment.Pending {
		return nil // a closed transaction stays as it was
	}
	// A charge of its own was announced as pending when the API created it.
	if result.Outcome == providers.Pending && was.ProviderRef == "" && r.txn.SubscriptionID != "" {
		if err := r.emit(r.txn.Event(event.PaymentPending, r.now, nil)); err != nil {
			return err
		}
	}
	return r.keep()
}

// learn keeps the provider's name for the operation, and its words.
func (r *recording) learn(result providers.Result) {
	if result.Ref != "" && r.txn.ProviderRef == "" {
		r.txn.ProviderRef = result.Ref
	}
	if result.Response != nil {
		r.txn.ProviderResponse = result.Response
	}
}

// proven tells what "not taken" was said about. While a worker hung in a first send, another may have repeated it under
// the same key and got through, so that it proves no more than for a repeat.
func (r *recording) proven() (payment.Move, error) {
	if r.move != payment.MoveSend {
		return r.move, nil
	}
	calls, err := r.tx.ProviderCalls(r.ctx, r.env, r.txn.ID)
	if err != nil {
		return r.move, err
	}
	for _, c := range calls {
		if c.Key == r.key && c.ID != r.callID {
			return payment.MoveReplay, nil
		}
	}
	return r.move, nil
}

// keep saves the transaction as it is, still open.
func (r *recording) keep() error {
	if err := r.saveTransaction(&r.txn); err != nil {
		return err
	}
	if r.b.Live != nil && r.b.Live.ID == r.txn.ID {
		live := r.txn
		r.b.Live = &live
	}
	return nil
}

func (r *recording) emit(e event.Event) error { return r.tx.Emit(r.ctx, r.env, e) }

// closeTxn ends the attempt and forgets it as the live one. It answers false where the status is final already, which
// no news may overwrite.
func (r *recording) closeTxn(status payment.Status) (bool, error) {
	closed, err := r.txn.Close(status, r.now)
	if err != nil {
		return false, nil //nolint:nilerr // a final status refuses news; that is not a fault of the exchange
	}
	r.txn = closed
	if r.b.Live != nil && r.b.Live.ID == r.txn.ID {
		r.b.Live = nil
	}
	return true, r.saveTransaction(&r.txn)
}

// ended records an attempt that did not move money.
func (r *recording) ended(status payment.Status, result providers.Result) error {
	if status == payment.Canceled && r.txn.Type == payment.Refund {
		status = payment.Failed
	}
	r.txn.FailureCode, r.txn.FailureReason = string(result.FailureCode), result.FailureReason
	if changed, err := r.closeTxn(status); err != nil || !changed {
		return err
	}
	kind := collection.AttemptFailed
	switch {
	case r.txn.Type == payment.Refund:
		if err := r.changeCharge(payment.Transaction.Release); err != nil {
			return err
		}
		return r.emit(r.txn.Event(event.PaymentRefundFailed, r.now, map[string]any{"failureReason": r.txn.FailureReason}))
	case status == payment.Canceled:
		kind = collection.AttemptCanceled
		if err := r.emit(r.txn.Event(event.PaymentCanceled, r.now, nil)); err != nil {
			return err
		}
	default:
		if err := r.emit(r.txn.FailedEvent(r.now)); err != nil {
			return err
		}
	}
	if i := r.indexOpen(r.txn.InvoiceID); i >= 0 {
		return r.step(i, kind)
	}
	return nil
}

// absent records that the provider knows nothing of the transaction: proven after a while, then it has failed, or was
// canceled if that was wished.
func (r *recording) absent() error {
	if r.txn.Status != payment.Pending {
		return nil
	}
	txn, proven := r.txn.Absent(r.protocol, r.real)
	r.txn = txn
	if !proven {
		return r.keep()
	}
	status := payment.Failed
	if !r.txn.CancelRequestedAt.IsZero() {
		status = payment.Canceled
	}
	return r.ended(status, providers.Result{FailureReason: "the provider never received this payment"})
}

// succeeded records money that moved: it settles its invoice, unless another attempt did before.
func (r *recording) succeeded() error {
	if r.txn.Type == payment.Refund {
		return r.refunded()
	}
	if r.txn.Status == payment.Canceled {
		if fresh, err := r.recover(); err != nil || !fresh {
			return err
		}
	} else if changed, err := r.closeTxn(payment.Success); err != nil || !changed {
		return err
	}
	if err := r.emit(r.txn.Event(event.PaymentSuccess, r.now, nil)); err != nil {
		return err
	}
	if r.txn.InvoiceID == "" {
		return nil
	}
	return r.settle()
}

// recover books a capture that turned up on a canceled charge as a success of its own, since canceled is final. It
// answers false where that was done before.
func (r *recording) recover() (bool, error) {
	known, err := r.tx.RecoveredFrom(r.ctx, r.env, r.txn.ID)
	if err != nil || known {
		return false, err
	}
	r.txn.RecoveredFrom = r.txn.ID
	r.txn.ID = id.New(id.Transaction, r.real)
	r.txn.Status, r.txn.CompletedAt, r.txn.CreatedAt, r.txn.Revision = payment.Success, r.now, r.now, 1
	r.txn.FailureCode, r.txn.FailureReason = "", ""
	return true, r.tx.InsertTransaction(r.ctx, r.env, r.txn)
}

// settle lets the success count for its invoice, or gives the money back where one counted before.
func (r *recording) settle() error {
	i := r.indexOpen(r.txn.InvoiceID)
	inv, err := r.invoiceAt(i)
	if err != nil {
		return err
	}
	_, effect, err := collection.Next(inv.Collection, r.input(collection.AttemptSucceeded), r.terms(inv))
	if err != nil {
		return err
	}
	counts := effect == collection.Settle && i >= 0
	if counts {
		if counts, err = r.tx.InsertSettlement(r.ctx, r.env, inv.ID, r.txn.ID, inv.AmountDue); err != nil {
			return err
		}
	}
	if !counts {
		return r.refund(&r.txn, r.txn.Amount)
	}
	inv = inv.Settle(r.now)
	if err := r.tx.SaveInvoice(r.ctx, r.env, inv); err != nil {
		return err
	}
	if err := r.cancelLive(); err != nil { // a late success of an older attempt leaves the live one superfluous
		return err
	}
	r.close(i)
	return r.paid(inv)
}

func (r *recording) invoiceAt(i int) (invoice.Invoice, error) {
	if i >= 0 {
		return r.b.Open[i], nil
	}
	return r.tx.LockInvoice(r.ctx, r.env, r.txn.InvoiceID)
}

// lockForRecording locks in the order of the house (customer, subscription, invoices, transaction) what an answer about
// the transaction may touch, and first lets happen what was due before the answer came: a period that was skipped while
// past due must be over when a late success recovers the subscription. A refund touches its transactions only.
func lockForRecording(ctx context.Context, tx *db.Tx, env string, seen payment.Transaction, now, wall time.Time) (*recording, error) {
	c := &change{ctx: ctx, tx: tx, env: env, now: now, real: wall}
	var err error
	if seen.SubscriptionID != "" {
		if c.b, err = tx.LoadSubscription(ctx, env, seen.SubscriptionID, true); err != nil {
			return nil, err
		}
	} else if c.b.Customer, err = tx.LockCustomer(ctx, env, seen.CustomerID); err != nil {
		return nil, err
	} else if c.b.TestClock, err = clockOf(ctx, tx, env, c.b.Customer); err != nil {
		return nil, err
	}
	if c.b.TestClock != nil {
		c.now = c.b.TestClock.NowAt
		tx.Now = c.now
	}
	c.due = c.now
	if seen.SubscriptionID != "" && seen.Type == payment.Charge {
		if err := c.catchUp(); err != nil {
			return nil, err
		}
	}
	txn, err := tx.LockTransaction(ctx, env, seen.ID)
	if err != nil {
		return nil, err
	}
	r := &recording{change: c, txn: txn}
	if i := c.indexOpen(txn.InvoiceID); i >= 0 {
		r.reason = c.b.Open[i].Reason
	}
	return r, nil
}

// clockOf is the test clock that a customer lives on; nil: real time.
func clockOf(ctx context.Context, tx *db.Tx, env string, payer customer.Customer) (*db.TestClock, error) {
	if payer.TestClockID == "" {
		return nil, nil //nolint:nilnil // real time is no error
	}
	clock, err := tx.TestClock(ctx, env, payer.TestClockID)
	return &clock, err
}
