package charging

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"perennial/billing/charging"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/providers"
)

// exchange is one call to a provider, or a step that needs none: what to do, with whom, and its row in provider_calls.
type exchange struct {
	charging.Step

	charge    payment.Transaction // of a refund
	provider  providers.Provider  // nil: no account can take it
	config    db.ProviderConfig
	callID    string
	held      bool   // a slot of its account
	limit     int    // of requests to its account a second; 0: none
	publicURL string // how payers reach the API
}

// at takes the account of the step.
func (x *exchange) at(f *facts) {
	if of := f.accounts[x.AccountID]; of != nil {
		x.config, x.provider = of.config, of.provider
	}
}

// keySpace is the namespace of provider keys. They are UUIDv5 of transaction and send, so that a repeat after a crash,
// a restore or a replay of the workflow sends the same key.
var keySpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("perennial:provider-key"))

func (x exchange) key() string {
	return uuid.NewSHA1(keySpace, []byte(x.Transaction.ID+":"+strconv.Itoa(x.KeyNumber()))).String()
}

// sentKey returns the key that this exchange sends, and "" for a look-up or a cancel.
func (x exchange) sentKey() string {
	if x.SendsKey() {
		return x.key()
	}
	return ""
}

// answered names the place behind the call, for crash tests.
func (x exchange) answered() failpoint.Name {
	if x.Transaction.Type == payment.Refund {
		return failpoint.RefundAnswered
	}
	return failpoint.ChargeAnswered
}

// recordingTime is the part of an activity's time that is reserved for recording the provider's answer.
const recordingTime = 15 * time.Second

// callInTime makes the call end while there is still time to record it: an answer, and silence too, is worth something
// only once it is written down. One move may be several requests, each with a time-out of its own.
func callInTime(ctx context.Context, x exchange) (providers.Result, error) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-recordingTime))
		defer cancel()
	}
	return x.call(ctx)
}

// call is the exchange itself. An error means that the request was impossible, so that nothing was sent.
func (x exchange) call(ctx context.Context) (providers.Result, error) {
	t := x.Transaction
	switch x.Move {
	case payment.MoveBelieve:
		return x.Evidence[0].Answer, nil
	case payment.MoveHold:
		return providers.Result{FailureReason: x.Reason, RetryAfter: x.Wait}, nil
	case payment.MoveAbandon:
		return providers.Result{Outcome: providers.Canceled, FailureReason: x.Abandoned()}, nil
	case payment.MoveLookup:
		if t.Type == payment.Refund {
			return x.provider.LookupRefund(ctx, x.lookup())
		}
		return x.provider.LookupCharge(ctx, x.lookup())
	case payment.MoveCancel:
		return x.provider.CancelCharge(ctx, x.lookup())
	case payment.MoveComplete:
		return x.provider.CompleteCharge(ctx, providers.CompleteRequest{
			TransactionID: t.ID, Key: x.key(), Ref: t.ProviderRef, Brought: brought(x.Handed),
		})
	case payment.MoveSend, payment.MoveReplay:
		return x.send(ctx)
	default: // a callback is waited for, or a person
		return providers.Result{}, nil
	}
}

func (x exchange) lookup() providers.LookupRequest {
	t := x.Transaction
	look := providers.LookupRequest{
		TransactionID: t.ID, Key: x.key(), Ref: cmp.Or(x.About, t.ProviderRef), ChargeRef: x.charge.ProviderRef,
		Since: t.Type == payment.Charge, AskedApart: x.AskedApart(),
	}
	if x.Earlier != nil {
		look.Ref = cmp.Or(x.About, x.Earlier.ProviderRef)
	}
	return look
}

func (x exchange) send(ctx context.Context) (providers.Result, error) {
	t := x.Transaction
	if t.Type == payment.Refund {
		return x.provider.Refund(ctx, providers.RefundRequest{
			TransactionID: t.ID, Key: x.key(), ChargeRef: x.charge.ProviderRef, Amount: t.Amount, Currency: t.Currency,
			Repeat: x.Repeats(),
		})
	}
	return x.provider.Charge(ctx, providers.ChargeRequest{
		TransactionID: t.ID, Key: x.key(), Amount: t.Amount, Currency: t.Currency, Description: t.Description,
		Method: methodOf(t.Method), ReturnURL: x.returnURL(), Repeat: x.Repeats(), AskedApart: x.AskedApart(),
	})
}

// brought are the parameters that the payer's browser brought back, as PayerReturned of service/payments has kept them.
func brought(h payment.Handed) url.Values {
	values, err := url.ParseQuery(h.Brought)
	if err != nil { // nothing that could be handed over
		return nil
	}
	return values
}

// returnURL returns the page to which the payer comes back after a confirmation; empty: the payer is not asked. Repeats
// send the same.
func (x exchange) returnURL() string {
	if x.Transaction.Action.Token == "" {
		return ""
	}
	return contract.ReturnLink(x.publicURL, x.Transaction.Action.Token)
}

// operation names the exchange as its row in provider_calls does.
func operation(t payment.Transaction, m payment.Move) string {
	refund := t.Type == payment.Refund
	switch {
	case m == payment.MoveCancel:
		return db.CallCancel
	case m == payment.MoveComplete:
		return db.CallComplete
	case m == payment.MoveLookup && refund:
		return db.CallRefundLookup
	case m == payment.MoveLookup:
		return db.CallLookup
	case refund:
		return db.CallRefund
	}
	return db.CallCharge
}

// response is the result of an exchange.
type response struct {
	providers.Result

	asked time.Time // when the exchange began
	err   error     // the request was impossible: nothing was sent
}

// shown is the outcome as rows and metrics show it.
func (a response) shown() string {
	if a.err != nil {
		return "error"
	}
	return string(a.Outcome)
}

// reply returns the part of the answer that concerns its account.
func (a response) reply() charging.Reply {
	return charging.Reply{Outcome: a.Outcome, HTTPStatus: a.HTTPStatus, NotOffered: a.NotOffered}
}
