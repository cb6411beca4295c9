package activities

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/google/uuid"

	"perennial/billing/lifecycle"
	"perennial/billing/payment"
	"perennial/contract"
	"perennial/db"
	"perennial/internal/failpoint"
	"perennial/providers"
)

// exchange is one call to a provider: what to do, with whom, and its row in provider_calls.
type exchange struct {
	txn       payment.Transaction
	charge    payment.Transaction // of a refund
	move      payment.Move
	provider  providers.Provider
	config    db.ProviderConfig
	protocol  payment.Protocol
	country   string // of the payer; empty: not known
	asked     bool   // because of callbacks
	about     string // the operation that a look-up asks about; empty: the transaction's
	hint      string // the transaction's reference where only callbacks have named it
	callID    string
	mode      string              // of the environment: test or live
	number    int                 // of the send that it is, or is about; 0: none
	reason    string              // why this provider gets a new send, or why none does
	earlier   *payment.Send       // at another provider, which it asks about; nil: it is about the current one
	hold      payment.Hold        // where no provider can take it now
	wait      time.Duration       // and for how long; zero: as the rules say
	unclaimed bool                // it would probe a resting account, and has not claimed that yet
	backups   int                 // how many more accounts can take a new send
	held      bool                // a slot of its account
	limit     int                 // of requests to its account a second; 0: none
	mayRepeat bool                // a first send, which a restored database may have forgotten
	row       payment.Transaction // the transaction before an account was chosen for it
	restored  time.Time           // when the database came under its present server
	lost      *lifecycle.Lost     // the lost send that is looked for; nil: none is
	unopened  error               // why the account of a charge that is looked for cannot be reached; nil: it can
	told      []db.Callback       // evidence, the one to believe first
	handed    payment.Handed      // to complete the charge
	publicURL string              // how payers reach the API
}

// unchosen takes back the account that routing chose for the transaction: its row shows none that never had it.
func (x *exchange) unchosen() {
	x.txn.Provider, x.txn.ProviderConfigID = x.row.Provider, x.row.ProviderConfigID
}

// keySpace makes provider keys: UUIDv5 of transaction and send, so that a crash, a restore or a replay of the workflow
// sends the same key again.
var keySpace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("perennial:provider-key"))

func (x exchange) key() string {
	number := x.number
	if x.earlier == nil && x.lost == nil && x.txn.FirstSentAt.IsZero() {
		number = x.txn.SendNumber + 1 // of the send that a restored database has lost: its key was that of the next
	}
	return uuid.NewSHA1(keySpace, []byte(x.txn.ID+":"+strconv.Itoa(number))).String()
}

// sentKey is the key that this exchange sends; empty for one that only asks or cancels.
func (x exchange) sentKey() string {
	if x.move == payment.MoveSend || x.move == payment.MoveReplay {
		return x.key()
	}
	return ""
}

// asks reports whether the move is a request to the provider.
func (x exchange) asks() bool {
	switch x.move {
	case payment.MoveNone, payment.MoveHold, payment.MoveAbandon, payment.MoveBelieve, payment.MoveAwait, payment.MoveReview:
		return false
	default:
		return true
	}
}

// answered names the place behind the call, for crash tests.
func (x exchange) answered() failpoint.Name {
	if x.txn.Type == payment.Refund {
		return failpoint.RefundAnswered
	}
	return failpoint.ChargeAnswered
}

// recordingTime is kept of an activity's time for writing down what the provider answered.
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
	t := x.txn
	look := providers.LookupRequest{
		TransactionID: t.ID, Key: x.key(), Ref: cmp.Or(x.about, t.ProviderRef), ChargeRef: x.charge.ProviderRef,
	}
	if x.earlier != nil {
		look.Ref = cmp.Or(x.about, x.earlier.ProviderRef)
	}
	look.Since, look.AskedApart = t.Type == payment.Charge, x.askedApart()
	refund, repeat := t.Type == payment.Refund, x.move == payment.MoveReplay || x.mayRepeat
	switch {
	case x.move == payment.MoveBelieve:
		return believed(*x.told[0].Evidence), nil
	case x.move == payment.MoveHold:
		return providers.Result{FailureReason: x.reason, RetryAfter: x.wait}, nil
	case x.move == payment.MoveAwait || x.move == payment.MoveReview:
		return providers.Result{}, nil
	case x.move == payment.MoveAbandon:
		return providers.Result{Outcome: providers.Canceled, FailureReason: abandoned(t)}, nil
	case x.move == payment.MoveLookup && refund:
		return x.provider.LookupRefund(ctx, look)
	case x.move == payment.MoveLookup:
		return x.provider.LookupCharge(ctx, look)
	case x.move == payment.MoveCancel:
		return x.provider.CancelCharge(ctx, look)
	case x.move == payment.MoveComplete:
		return x.provider.CompleteCharge(ctx, providers.CompleteRequest{
			TransactionID: t.ID, Key: x.key(), Ref: t.ProviderRef, Brought: brought(x.handed),
		})
	case refund:
		return x.provider.Refund(ctx, providers.RefundRequest{
			TransactionID: t.ID, Key: x.key(), ChargeRef: x.charge.ProviderRef, Amount: t.Amount, Currency: t.Currency,
			Repeat: repeat,
		})
	}
	return x.provider.Charge(ctx, providers.ChargeRequest{
		TransactionID: t.ID, Key: x.key(), Amount: t.Amount, Currency: t.Currency, Description: t.Description,
		Method: methodOf(t.Method), ReturnURL: x.returnURL(), Repeat: repeat, AskedApart: x.askedApart(),
	})
}

// brought are the parameters that the payer's browser brought back, as service.PayerReturned has kept them.
func brought(h payment.Handed) url.Values {
	values, err := url.ParseQuery(h.Brought)
	if err != nil { // nothing that could be handed over
		return nil
	}
	return values
}

// askedApart reports whether the requests of the send have references of their own.
func (x exchange) askedApart() bool { return x.number > 0 && x.number == x.txn.Action.ApartSend }

// abandoned is why a charge that no provider captures was canceled without a request.
func abandoned(t payment.Transaction) string {
	if t.EverSent() {
		return "canceled before its payer confirmed it"
	}
	return "canceled before it was sent"
}

// returnURL is where the payer comes back to after a confirmation; empty: nobody is asked. Repeats send the same.
func (x exchange) returnURL() string {
	if x.txn.Action.Token == "" {
		return ""
	}
	return contract.ReturnLink(x.publicURL, x.txn.Action.Token)
}

// believed is what a callback proves, in the form of an answer to a look-up.
func believed(e payment.Answer) providers.Result {
	r := providers.Result{
		Outcome: providers.Outcome(e.Outcome), Ref: e.Ref, Amount: e.Amount, Currency: e.Currency,
		FailureCode: providers.FailureCode(e.FailureCode), FailureReason: e.FailureReason,
	}
	for _, seen := range e.Refunds {
		r.Refunds = append(r.Refunds, providers.SeenRefund(seen))
	}
	for _, d := range e.Disputes {
		r.Disputes = append(r.Disputes, providers.Dispute{
			Ref: d.Ref, State: providers.DisputeState(d.State), Stage: providers.DisputeStage(d.Stage), Reason: d.Reason,
			Amount: d.Amount, Currency: d.Currency, Withdrawn: d.Withdrawn, Order: d.Order, EvidenceDueAt: d.EvidenceDueAt,
		})
	}
	return r
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

func outcomeOf(r providers.Result, err error) string {
	if err != nil {
		return "error"
	}
	return string(r.Outcome)
}
