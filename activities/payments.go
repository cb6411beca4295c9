package activities

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"perennial/billing/event"
	"perennial/billing/fault"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/internal/id"
	"perennial/providers"
)

// Observer is told how payments go, for metrics.
type Observer interface {
	// ProviderCalled reports one exchange with a provider.
	ProviderCalled(ctx context.Context, provider, operation, outcome string, took time.Duration)
	// PaymentEnded reports a transaction that became final.
	PaymentEnded(ctx context.Context, ended Ended)
}

// Ended is what a final transaction tells the measurements.
type Ended struct {
	Provider string
	Mode     string // test or live
	Type     string // charge or refund
	Status   string
	// Renewal: the charge of a subscription in real time; Lateness is then how long after it became due it ended.
	Renewal  bool
	Lateness time.Duration
}

// Payments are the activities that talk to providers.
type Payments struct {
	Store    *db.Store
	Clock    Clock
	Gateway  Gateway
	Starter  Starter
	Observer Observer
	// AbsenceGap is payment.Protocol's; zero: the default.
	AbsenceGap time.Duration
}

// Charge makes the first send of a transaction. It is the same work as CheckPayment under the name that operators
// expect: the transaction's row says what must be done.
func (a *Payments) Charge(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	return a.resolve(ctx, in)
}

// CheckPayment brings an open transaction further: replay, look-up or cancellation.
func (a *Payments) CheckPayment(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	return a.resolve(ctx, in)
}

// errAbsent matches the database's answer about a transaction that does not exist.
var errAbsent = fault.New(fault.NotFound, "transaction_not_found", "")

// exchange is one call to a provider: what to do, with whom, and its row in provider_calls.
type exchange struct {
	txn      payment.Transaction
	charge   payment.Transaction // of a refund
	move     payment.Move
	provider providers.Provider
	protocol payment.Protocol
	callID   string
	mode     string // of the environment: test or live
}

// resolve is the charge protocol: note the intent, call, record. Repeats find the intent and act on it.
func (a *Payments) resolve(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	asked := a.Clock()
	x, err := a.intend(ctx, in)
	if errors.Is(err, errAbsent) {
		return contract.ResolveOutput{Status: "absent"}, nil // whoever sent word of it meant another environment
	}
	if err != nil {
		return contract.ResolveOutput{}, err
	}
	if x.move == payment.MoveNone {
		return a.unchanged(ctx, in)
	}
	failpoint.Hit(failpoint.ChargeMarked)
	started := a.Clock()
	result, callErr := x.call(ctx)
	failpoint.Hit(x.answered())
	a.Observer.ProviderCalled(ctx, x.provider.Name(), operation(x.txn, x.move), outcomeOf(result, callErr), a.Clock().Sub(started))
	out, refunds, err := a.record(ctx, in, x, result, callErr, asked)
	if err != nil {
		return contract.ResolveOutput{}, err
	}
	failpoint.Hit(failpoint.ChargeRecorded)
	startAll(ctx, a.Starter, refunds)
	return out, nil
}

// intend locks the transaction, decides the move and, before a first send, marks it sent: from then on silence means
// "unknown".
func (a *Payments) intend(ctx context.Context, in contract.ResolveInput) (exchange, error) {
	var x exchange
	now := a.Clock()
	err := a.Store.InTx(ctx, now, func(tx *db.Tx) error {
		txn, err := tx.LockTransaction(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		x.txn = txn
		if txn.ProviderConfigID == "" {
			x.move = payment.MoveNone
			return nil
		}
		config, err := tx.ProviderConfigOf(ctx, in.EnvironmentID, txn.ProviderConfigID)
		if err != nil {
			return err
		}
		if x.provider, err = a.Gateway.Provider(ctx, config); err != nil {
			return err
		}
		x.protocol, x.mode = a.protocol(x.provider), config.Mode
		x.move = txn.Next(x.protocol, in.Asked, now)
		if x.move == payment.MoveNone || x.move == payment.MoveAbandon {
			return nil
		}
		if txn.Type == payment.Refund {
			if x.charge, err = tx.Transaction(ctx, in.EnvironmentID, txn.ChargeID); err != nil {
				return err
			}
		}
		if x.move == payment.MoveSend {
			x.txn = txn.Sending(now)
			if err := tx.SaveTransaction(ctx, in.EnvironmentID, x.txn); err != nil {
				return err
			}
		}
		x.callID = id.New(id.ProviderCall, now)
		return tx.InsertProviderCall(ctx, in.EnvironmentID, db.ProviderCall{
			ID: x.callID, TransactionID: txn.ID, Operation: operation(txn, x.move), Key: x.key(), StartedAt: now,
		})
	})
	return x, err
}

func (a *Payments) protocol(p providers.Provider) payment.Protocol {
	gap := a.AbsenceGap
	if gap == 0 {
		gap = payment.DefaultAbsenceGap
	}
	return payment.Protocol{Window: p.ReplayWindow(), AbsenceGap: gap}
}

// keySpace makes provider keys: UUIDv5 of transaction and send, so that a crash, a restore or a replay of the workflow
// sends the same key again.
var keySpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("perennial:provider-key"))

func (x exchange) key() string {
	return uuid.NewSHA1(keySpace, []byte(x.txn.ID+":"+strconv.Itoa(x.txn.SendNumber))).String()
}

// answered names the place behind the call, for crash tests.
func (x exchange) answered() failpoint.Name {
	if x.txn.Type == payment.Refund {
		return failpoint.RefundAnswered
	}
	return failpoint.ChargeAnswered
}

// call is the exchange itself. An error means that the request was impossible, so that nothing was sent.
func (x exchange) call(ctx context.Context) (providers.Result, error) {
	t := x.txn
	look := providers.LookupRequest{TransactionID: t.ID, Ref: t.ProviderRef, ChargeRef: x.charge.ProviderRef}
	refund := t.Type == payment.Refund
	switch {
	case x.move == payment.MoveAbandon:
		return providers.Result{Outcome: providers.Canceled, FailureReason: "canceled before it was sent"}, nil
	case x.move == payment.MoveLookup && refund:
		return x.provider.LookupRefund(ctx, look)
	case x.move == payment.MoveLookup:
		return x.provider.LookupCharge(ctx, look)
	case x.move == payment.MoveCancel:
		return x.provider.CancelCharge(ctx, look)
	case refund:
		return x.provider.Refund(ctx, providers.RefundRequest{
			TransactionID: t.ID, Key: x.key(), ChargeRef: x.charge.ProviderRef, Amount: t.Amount, Currency: t.Currency,
		})
	}
	d := t.Method.Details
	return x.provider.Charge(ctx, providers.ChargeRequest{
		TransactionID: t.ID, Key: x.key(), Amount: t.Amount, Currency: t.Currency, Description: t.Description,
		Method: providers.Method{
			Type: t.Method.Type, CustomerToken: d.CustomerToken, PaymentMethodToken: d.PaymentMethodToken, PhoneNumber: d.PhoneNumber,
		},
	})
}

// record writes the answer and what it leads to in one transaction.
func (a *Payments) record(ctx context.Context, in contract.ResolveInput, x exchange, result providers.Result, callErr error, asked time.Time) (contract.ResolveOutput, []contract.Ref, error) {
	var out contract.ResolveOutput
	var refunds []contract.Ref
	now := a.Clock()
	own := in.Now
	if own.IsZero() {
		own = now
	}
	err := a.Store.InTx(ctx, own, func(tx *db.Tx) error {
		r, err := lockForRecording(ctx, tx, in.EnvironmentID, x.txn, own, now)
		if err != nil {
			return err
		}
		r.move, r.protocol, r.callID, r.key = x.move, x.protocol, x.callID, x.key()
		was := r.txn.Status
		switch {
		case callErr != nil:
			err = r.impossible(callErr)
		case !plausible(r.txn, result):
			r.learn(result) // whoever looks into it needs the reference
			err = r.park("amount_mismatch")
		default:
			err = r.record(result)
		}
		if err != nil {
			return err
		}
		if x.callID != "" {
			if err := tx.FinishProviderCall(ctx, r.env, db.ProviderCall{
				ID: x.callID, TransactionID: in.TransactionID, Outcome: outcomeOf(result, callErr), HTTPStatus: result.HTTPStatus, Response: result.Response, EndedAt: now,
			}); err != nil {
				return err
			}
		}
		if err := tx.MarkCallbacksProcessed(ctx, r.env, in.TransactionID, asked); err != nil {
			return err
		}
		if out, err = r.output(); err != nil {
			return err
		}
		refunds = r.refunds
		if was == payment.Pending && r.txn.Status != payment.Pending {
			a.Observer.PaymentEnded(ctx, r.measured(x.mode))
		}
		return nil
	})
	return out, refunds, err
}

// output saves the subscription, where there is one, and tells the workflow what is left to do.
func (r *recording) output() (contract.ResolveOutput, error) {
	out := contract.ResolveOutput{Status: string(r.txn.Status), CheckAt: r.txn.NextCheckAt, Parked: !r.txn.ParkedAt.IsZero()}
	if r.txn.SubscriptionID == "" {
		return out, nil
	}
	snap, err := r.save()
	out.Snapshot = &snap
	return out, err
}

// measured is what the measurements are told.
func (r *recording) measured(mode string) Ended {
	renewal := r.txn.SubscriptionID != "" && r.txn.Type == payment.Charge && r.b.TestClock == nil
	return Ended{
		Provider: r.txn.Provider, Mode: mode, Type: string(r.txn.Type), Status: string(r.txn.Status),
		Renewal: renewal, Lateness: r.real.Sub(r.txn.DueAt),
	}
}

// impossible records a request that could not be made at all. A first send that is invalid was never sent: it has failed.
// Anything else (the provider knows our key, or our reference, for something different) may mean that money moved: it is
// left to a person.
func (r *recording) impossible(cause error) error {
	f := fault.From(cause)
	if f.Retryable() {
		return cause
	}
	if r.move == payment.MoveSend && f.Kind == fault.Invalid {
		return r.ended(payment.Failed, providers.Result{FailureReason: f.Detail})
	}
	return r.park(f.Code)
}

// park leaves an open transaction to a person, and says so once.
func (r *recording) park(reason string) error {
	if r.txn.Status != payment.Pending || !r.txn.ParkedAt.IsZero() {
		return nil
	}
	r.txn = r.txn.Park(r.real)
	if err := r.emit(paymentEvent(event.PaymentParked, r.txn, r.now, map[string]any{"reason": reason})); err != nil {
		return err
	}
	return r.keep()
}

// unchanged answers from the rows: there was nothing to do.
func (a *Payments) unchanged(ctx context.Context, in contract.ResolveInput) (contract.ResolveOutput, error) {
	var out contract.ResolveOutput
	now := a.Clock()
	err := a.Store.InTx(ctx, now, func(tx *db.Tx) error {
		txn, err := tx.Transaction(ctx, in.EnvironmentID, in.TransactionID)
		if err != nil {
			return err
		}
		if err := tx.MarkCallbacksProcessed(ctx, in.EnvironmentID, in.TransactionID, now); err != nil {
			return err
		}
		out = contract.ResolveOutput{Status: string(txn.Status), CheckAt: txn.NextCheckAt, Parked: !txn.ParkedAt.IsZero()}
		if txn.SubscriptionID == "" {
			return nil
		}
		b, err := tx.LoadSubscription(ctx, in.EnvironmentID, txn.SubscriptionID, false)
		snap := snapshot(b)
		out.Snapshot = &snap
		return err
	})
	return out, err
}

// plausible distrusts a success over another amount or currency than was asked for.
func plausible(t payment.Transaction, r providers.Result) bool {
	return r.Outcome != providers.Succeeded ||
		(r.Amount == 0 || r.Amount == t.Amount) && (r.Currency == "" || r.Currency == t.Currency)
}

func operation(t payment.Transaction, m payment.Move) string {
	refund := t.Type == payment.Refund
	switch {
	case m == payment.MoveCancel:
		return "cancel"
	case m == payment.MoveLookup && refund:
		return "refund_lookup"
	case m == payment.MoveLookup:
		return "lookup"
	case refund:
		return "refund"
	}
	return "charge"
}

func outcomeOf(r providers.Result, err error) string {
	if err != nil {
		return "error"
	}
	return string(r.Outcome)
}
